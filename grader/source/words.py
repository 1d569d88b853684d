"""The words in which a rubric asks about the source. Each gives a test: source to finding."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from grader.source.names import imported
from grader.source.read import Source
from grader.source.trace import Expr, Tracer, walk


@dataclass(frozen=True)
class Finding:
    """What a test of the source found.

    Not ok means not recognised; ``certain`` that it is not there at all: nothing is defined, or
    nothing but None comes out; ``foreign`` that the file has another structure, on which the test
    says nothing. ``span`` holds the lines of what was recognised. ``line`` is the 1-based line to
    look at, ``detail`` a short clause on what stands there. ``note`` goes with a finding that is
    ok.
    """

    ok: bool
    line: int | None = None
    detail: str | None = None
    note: str | None = None
    certain: bool = False
    foreign: bool = False
    span: frozenset[int] = frozenset()


Test = Callable[[Source], Finding]
Pattern = Callable[[Expr], bool]

ENTRIES = ("__call__", "forward")


@lru_cache(maxsize=4)
def tracer(source: Source) -> Tracer:
    """The tracer of a file; every test of one grading shares it."""
    return Tracer(source.tree, source.spellings)


@lru_cache(maxsize=4)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Every node of a file; looking for them takes longer than what is done with them."""
    return tuple(ast.walk(tree))


def entry(source: Source, cls: str) -> str:
    """The path of the method that runs when an object of ``cls`` is called."""
    for name in ENTRIES:
        if tracer(source).function(f"{cls}.{name}") is not None:
            return f"{cls}.{name}"
    return f"{cls}.{ENTRIES[0]}"


def result(source: Source, path: str) -> Expr:
    """What the function at ``path`` returns."""
    return tracer(source).trace(path)[0]


def imports(*names: str) -> Test:
    """Each full name is imported, or reached through an imported module.

    Of a finished file that never says the name, this says nothing: it needs no import.
    """

    def test(source: Source) -> Finding:
        every = [a for scope in _bodies(source.tree) for a in imported(scope, source.spellings)]
        line = None
        for name in names:
            found = [at for full, at in every if name == full or name.startswith(f"{full}.")]
            found += [at for full, at in every if full.startswith(f"{name}.")]
            if not found:
                near = [at for full, at in every if full.split(".")[-1] == name.split(".")[-1]]
                needed = bool(near) or says(source, name) or _unfinished(source.tree)
                return Finding(False, near[0] if near else None, certain=needed, foreign=not needed)
            line = found[0]
        return Finding(True, line)

    return test


def defines_class(name: str, base: str | None = None) -> Test:
    """A class of this name exists, and derives from something called ``base``."""

    def test(source: Source) -> Finding:
        found = tracer(source).classes.get(name)
        if found is None:
            near = [n for n in tracer(source).classes.values() if n.name.lower() == name.lower()]
            detail = f"There is a class {near[0].name}" if near else None
            return Finding(False, near[0].lineno if near else None, detail, certain=True)
        if base is not None and not any(
            (tracer(source).full_name(b) or "").split(".")[-1] == base
            or (isinstance(b, ast.Name) and b.id in tracer(source).classes)
            or isinstance(b, ast.Subscript)
            for b in found.bases
        ):
            told = f"It does not derive from {base}"
            return Finding(False, found.lineno, told, certain=not found.bases)
        return Finding(True, found.lineno)

    return test


def defines_function(name: str, *params: str, both_ways: bool = False) -> Test:
    """A function of this name exists and takes these parameters.

    With ``both_ways`` each of them can be given by its place and by its name.
    """

    def test(source: Source) -> Finding:
        found = tracer(source).function(name)
        if found is None:
            return Finding(False, certain=True)
        have = {a.arg for a in (*found.args.posonlyargs, *found.args.args, *found.args.kwonlyargs)}
        missing = [p for p in params if p not in have]
        if missing and found.args.kwarg is None:
            lacks = f"It does not take {', '.join(missing)}"
            return Finding(False, found.lineno, lacks, certain=both_ways)
        told = _one_way(found.args, params) if both_ways else ""
        return Finding(not told, found.lineno, told or None, certain=bool(told))

    return test


def _one_way(args: ast.arguments, params: tuple[str, ...]) -> str:
    """Which of ``params`` can be given by name only, or by place only; empty where none."""
    for given in args.kwonlyargs if args.vararg is None else ():
        if given.arg in params:
            return f"{given.arg} can be given by name only: take out the * before it"
    for given in args.posonlyargs if args.kwarg is None else ():
        if given.arg in params:
            return f"{given.arg} cannot be given by name: take out the / behind it"
    return ""


def decorated(path: str, *names: str) -> Test:
    """The function or class at ``path`` carries one of these decorators, by full name."""

    def test(source: Source) -> Finding:
        found = tracer(source).function(path) or tracer(source).classes.get(path)
        if found is None:
            return Finding(False)
        for decorator in found.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if tracer(source).full_name(target) in names:
                return Finding(True, decorator.lineno)
        if isinstance(found, ast.ClassDef) or _gives_none(result(source, path)):
            return Finding(False, found.lineno, certain=True)
        return Finding(False, found.lineno, foreign=True)

    return test


def _gives_none(value: Expr) -> bool:
    return value.op == "const" and value.value is None


def returns(
    path: str | Callable[[Source], str], *patterns: Pattern, near: Pattern | None = None
) -> Test:
    """Every pattern matches some value that the function's result is made of.

    ``near`` finds the line to show where a pattern is missing.
    """

    def test(source: Source) -> Finding:
        where = path if isinstance(path, str) else path(source)
        function = tracer(source).function(where)
        if function is None:
            return Finding(False, certain=True)
        result, _ = tracer(source).trace(where)
        empty = _gives_none(result)
        lines: list[int | None] = []
        span: set[int] = set()
        for pattern in patterns:
            found = [one for one in walk(result) if pattern(one)]
            if not found:
                return Finding(False, _nearest(result, near) or function.lineno, certain=empty)
            lines.append(found[0].line)
            span |= {one.line for one in walk(found[0]) if one.line is not None}
        return Finding(True, lines[-1] if lines else function.lineno, span=frozenset(span))

    return test


def stores(path: str, attribute: str, pattern: Pattern) -> Test:
    """``self.attribute`` is given a value that matches, in the method at ``path``."""

    def test(source: Source) -> Finding:
        function = tracer(source).function(path)
        if function is None:
            return Finding(False)
        _, kept = tracer(source).trace(path)
        value = kept.get(attribute)
        if value is None:
            return Finding(False, function.lineno, f"self.{attribute} is not set")
        empty = _gives_none(value)
        if any(pattern(one) for one in walk(value)):
            return Finding(True, value.line)
        return Finding(False, value.line or function.lineno, certain=empty)

    return test


def no_placeholders(*names: str) -> Test:
    """No ``x = None``, ``return None``, ``pass`` or ``...`` is left in what has these names.

    A name is a function's, a method's or a class's.
    """

    def test(source: Source) -> Finding:
        left: set[tuple[int, str]] = set()
        for node in _defined(source.tree):
            if isinstance(node, ast.FunctionDef) and node.name in names:
                left.update(_placeholders(node))
            elif isinstance(node, ast.ClassDef) and node.name in names:
                left.update(_unset(node))
        if not left:
            return Finding(True)
        every = sorted(left)
        shown = [text for _, text in every[:4]]
        if len(every) > 4:
            shown.append(f"... and {len(every) - 4} more")
        return Finding(False, every[0][0], "\n".join(shown), certain=True)

    return test


def says(source: Source, name: str) -> bool:
    """Whether the last part of a full name, or the short form that the course uses, is written."""
    last = name.rpartition(".")[2]
    short = "F" if last == "functional" else last
    return any(
        isinstance(node, ast.Name) and node.id in (last, short) for node in nodes(source.tree)
    )


def _unfinished(tree: ast.Module) -> bool:
    """Whether some function still has a placeholder, or there is none yet."""
    functions = [node for node in nodes(tree) if isinstance(node, ast.FunctionDef)]
    return not functions or any(any(_placeholders(node)) for node in functions)


def _defined(tree: ast.AST) -> Iterable[ast.AST]:
    """Every node, without the definitions that a later one of the same name replaces."""
    for body in (getattr(tree, field, None) for field in ("body", "orelse", "finalbody")):
        if not isinstance(body, list):
            continue
        last = {node.name: node for node in body if isinstance(node, _DEFINITIONS)}
        for node in body:
            if not isinstance(node, _DEFINITIONS) or last[node.name] is node:
                yield node
                yield from _defined(node)


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _nearest(result: Expr, near: Pattern | None) -> int | None:
    if near is None:
        return result.line
    return next((one.line for one in walk(result) if near(one)), result.line)


def _bodies(tree: ast.Module) -> Iterable[list[ast.stmt]]:
    yield tree.body
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.body


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _placeholders(function: ast.FunctionDef) -> Iterable[tuple[int, str]]:
    """Names that are only ever None, a lone ``return None``, ``pass`` and ``...``."""
    given: dict[str, list[tuple[int, bool]]] = {}
    for target, value, line in _assignments(function):
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                given.setdefault(node.id, []).append((line, _is_none(value)))
    yield from _only_none(given)
    results = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    if results and all(_is_none(n.value) for n in results):
        yield from ((n.lineno, "return None") for n in results)
    for statement in function.body:
        if isinstance(statement, ast.Pass):
            yield statement.lineno, "pass"
        elif isinstance(statement, ast.Expr) and (
            isinstance(statement.value, ast.Constant) and statement.value.value is ...
        ):
            yield statement.lineno, "..."


def _unset(cls: ast.ClassDef) -> Iterable[tuple[int, str]]:
    """Attributes of self that are only ever None in the whole class."""
    given: dict[str, list[tuple[int, bool]]] = {}
    for target, value, line in _assignments(cls):
        for node in ast.walk(target):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                text = f"{node.value.id}.{node.attr}"
                given.setdefault(text, []).append((line, _is_none(value)))
    yield from _only_none(given)


def _assignments(scope: ast.AST) -> Iterable[tuple[ast.expr, ast.expr | None, int]]:
    """Each target, the value it gets, and the line. Loops and the like give some value."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield from ((target, value, node.lineno) for target in targets)
            case ast.AnnAssign(target=target, value=value) if value is not None:
                yield target, value, node.lineno
            case ast.AugAssign(target=target) | ast.NamedExpr(target=target):
                yield target, ast.Constant(True), node.lineno
            case ast.For(target=target):
                yield target, ast.Constant(True), node.lineno


def _only_none(given: dict[str, list[tuple[int, bool]]]) -> Iterable[tuple[int, str]]:
    for text, values in given.items():
        if all(empty for _, empty in values):
            yield from ((line, f"{text} = None") for line, _ in values)
