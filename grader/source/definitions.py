"""Tests of what a file imports and defines."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from grader.source import placeholders
from grader.source.ast_cache import walked
from grader.source.expr import Expr
from grader.source.findings import Finding, Path, SourceTest, absent
from grader.source.name_resolution import imported
from grader.source.parser import Source
from grader.source.symbolic_eval import Tracer

DEFINITIONS = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)


@lru_cache(maxsize=4)
def tracer(source: Source) -> Tracer:
    """The tracer of a file; every test of one grading shares it."""
    return Tracer(source.tree, source.spellings)


def call_of(cls: str) -> Path:
    """The method that runs when an object of ``cls`` is called."""
    return f"{cls}.__call__", f"{cls}.forward"


def method(cls: str, name: str) -> Path:
    """A helper; if it is missing, the method that runs when the object is called."""
    return f"{cls}.{name}", *call_of(cls)


def definition(source: Source, path: Path) -> ast.FunctionDef | ast.ClassDef | None:
    """What is defined at ``path``; the last definition counts."""
    trace, at = tracer(source), place(source, path)
    return trace.function(at) or trace.classes.get(at)


def result(source: Source, path: Path) -> Expr:
    """What the function at ``path`` returns."""
    return tracer(source).trace(place(source, path)).result


def place(source: Source, path: Path) -> str:
    """The one place that ``path`` means in this file."""
    places = (path,) if isinstance(path, str) else path
    found = (one for one in places if tracer(source).function(one) is not None)
    return next(found, places[0])


def imports(*names: str) -> SourceTest:
    """Each full name is imported, or reached through an imported module.

    For a finished file that never uses the name, this says nothing: it needs no import.
    """

    def test(source: Source) -> Finding:
        every = _imported(source)
        found = {name: _lines_of(name, every) for name in names}
        lacks = frozenset(spoken(name) for name in names if not found[name])
        for name in names:
            if not found[name]:
                last = name.split(".")[-1].lower()
                near = [at for full, at in every if full.split(".")[-1].lower() == last]
                needed = (
                    bool(near) or says(source, name) or placeholders.unfinished(walked(source.tree))
                )
                home = name.rpartition(".")[0]
                near += [at for full, at in every if full.rpartition(".")[0] == home]
                line = near[0] if near else None
                other = [one for one in every if one[0].endswith(f".{name.rpartition('.')[2]}")]
                told = _from_elsewhere(*other[0]) if other and other[0][1] == line else None
                return Finding(False, line, told, certain=needed, foreign=not needed, lacks=lacks)
        return Finding(True, found[names[-1]][0], brings=frozenset(map(spoken, names)))

    return test


def _from_elsewhere(full: str, line: int) -> str:
    """That a line imports a thing of the right name from another module."""
    home, _, name = full.rpartition(".")
    return f"Line {line} imports {name} from {home}: that is a different one. Import the right one."


def _lines_of(name: str, every: Iterable[tuple[str, int]]) -> list[int]:
    """Where this full name is imported: the module that it is in, itself, or a part of it."""
    around = [at for full, at in every if name == full or name.startswith(f"{full}.")]
    return around + [at for full, at in every if full.startswith(f"{name}.")]


def spoken(name: str) -> str:
    """What a program calls the thing with this full name: its last part, or the course's short."""
    last = name.rpartition(".")[2]
    return "F" if last == "functional" else last


def defines_class(name: str, base: str | None = None) -> SourceTest:
    """A class of this name exists, and derives from something called ``base``."""

    def test(source: Source) -> Finding:
        found = tracer(source).classes.get(name)
        if found is None:
            return _not_there("class", name, tracer(source).classes)
        if base is not None and not any(
            (tracer(source).full_name(b) or "").split(".")[-1] == base
            or (isinstance(b, ast.Name) and b.id in tracer(source).classes)
            or isinstance(b, ast.Subscript)
            for b in found.bases
        ):
            told = f"It does not derive from {base}"
            return Finding(False, found.lineno, told, certain=not found.bases, there=True)
        return Finding(True, found.lineno)

    return test


def defines_function(name: str, *params: str, both_ways: bool = False) -> SourceTest:
    """A function of this name exists and takes these parameters.

    With ``both_ways`` each of them can be passed by position and by name.
    """

    def test(source: Source) -> Finding:
        found = tracer(source).function(name)
        if found is None and _is_kept(source.tree, name):
            return Finding(True)  # what it takes, only the run can show
        if found is None:
            return _not_there("function", name, tracer(source).functions)
        have = {a.arg for a in (*found.args.posonlyargs, *found.args.args, *found.args.kwonlyargs)}
        missing = [p for p in params if p not in have]
        if missing and found.args.kwarg is None:
            lacks = f"It does not take {', '.join(missing)}"
            return Finding(False, found.lineno, lacks, certain=both_ways, there=True)
        told = _one_way(found.args, params) if both_ways else ""
        return Finding(not told, found.lineno, told or None, certain=bool(told), there=bool(told))

    return test


def _is_kept(tree: ast.Module, name: str) -> bool:
    """Whether the file gives ``name`` a value that may be called: a lambda, or an object."""
    for one in tree.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=other)]) if other == name:
                return not isinstance(one.value, ast.Constant)
    return False


def _not_there(
    kind: str, name: str, there: Mapping[str, ast.FunctionDef | ast.ClassDef]
) -> Finding:
    """Nothing of this name is defined; perhaps something is that was meant to have it."""
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in there], n=1)
    like = [one for one in there if one.lower() in near] or (list(there) if len(there) == 1 else [])
    lacks = frozenset({name.partition(".")[0]}) if "." not in name else frozenset[str]()
    if not like:
        return Finding(False, certain=True, lacks=lacks)
    told = f"There is a {kind} {like[0]}"
    return Finding(False, there[like[0]].lineno, told, certain=True, lacks=lacks)


def _one_way(args: ast.arguments, params: tuple[str, ...]) -> str:
    """Which of ``params`` can be passed only by name, or only by position; empty if none."""
    for given in args.kwonlyargs if args.vararg is None else ():
        if given.arg in params:
            return f"{given.arg} can be passed only by name: remove the * before it"
    for given in args.posonlyargs if args.kwarg is None else ():
        if given.arg in params:
            return f"{given.arg} cannot be passed by name: remove the / after it"
    return ""


def decorated(path: str, *names: str) -> SourceTest:
    """The function or class at ``path`` carries one of these decorators, by full name."""

    def test(source: Source) -> Finding:
        found = tracer(source).function(path) or tracer(source).classes.get(path)
        if found is None:
            return absent(path)
        for decorator in found.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if tracer(source).full_name(target) in names:
                return _carried(decorator)
        carried = [f"@{ast.unparse(one)}" for one in found.decorator_list]
        detail = f"It carries {', '.join(carried)}" if carried else None
        inits = (one for one in found.body if isinstance(one, ast.FunctionDef))
        own = isinstance(found, ast.ClassDef) and any("init" in one.name for one in inits)
        if not own and (isinstance(found, ast.ClassDef) or gives_none(result(source, path))):
            return Finding(False, found.lineno, detail, certain=True)
        return Finding(False, found.lineno, foreign=True)

    return test


def _carried(decorator: ast.expr) -> Finding:
    """What a decorator does; a dataclass without ``__init__`` takes no arguments."""
    words = decorator.keywords if isinstance(decorator, ast.Call) else []
    if any(word.arg == "init" and ast.unparse(word.value) == "False" for word in words):
        told = "It says init=False, so no __init__ is written"
        return Finding(False, decorator.lineno, told, certain=True, there=True)
    return Finding(True, decorator.lineno)


def gives_none(value: Expr) -> bool:
    """Whether a function returns nothing yet."""
    return value.op == "const" and value.value is None


def no_placeholders(*names: str) -> SourceTest:
    """No ``x = None``, ``return None``, ``pass`` or ``...`` is left in the things with these names.

    A name is that of a function, a method or a class.
    """

    def test(source: Source) -> Finding:
        left = placeholders.left(source.tree, names)
        if not left:
            tops = {node.name for node in source.tree.body if isinstance(node, DEFINITIONS)}
            gone = next((one for one in names if one.partition(".")[0] not in tops), "")
            return Finding(True, absent=gone.partition(".")[0])
        shown = [text for _, text in left[:4]]
        if len(left) > 4:
            shown.append(f"... and {len(left) - 4} more")
        return Finding(False, left[0][0], "\n".join(shown), certain=True)

    return test


def if_named(name: str, test: SourceTest) -> SourceTest:
    """``test``, in a file that uses the name: what no line needs may be missing."""

    def only_if(source: Source) -> Finding:
        found = test(source)
        if found.ok or says(source, name):
            return found if found.ok else replace(found, certain=True)
        return Finding(True, note=f"No line needs {spoken(name)}, so it need not be imported.")

    return only_if


def says(source: Source, name: str) -> bool:
    """Whether the last part of a full name, or the short form that the course uses, occurs."""
    names = (name.rpartition(".")[2], spoken(name))
    return any(isinstance(node, ast.Name) and node.id in names for node in walked(source.tree))


@lru_cache(maxsize=4)
def _imported(source: Source) -> tuple[tuple[str, int], ...]:
    """Every full name that an import brings in, with its line, wherever it is in the file."""
    inner = (node.body for node in walked(source.tree) if isinstance(node, DEFINITIONS))
    bodies = (source.tree.body, *inner)
    return tuple(one for body in bodies for one in imported(body, source.spellings))
