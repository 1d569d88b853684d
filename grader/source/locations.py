"""Where in a file the place is that a check or a mistake is about."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from grader.source import reachability
from grader.source.argument_flow import constructor_line, giver, preset
from grader.source.ast_cache import of_kind
from grader.source.attributes import attribute, loads, targets, unset
from grader.source.bindings import around, only
from grader.source.def_use import stores
from grader.source.list_length import length_line
from grader.source.unpack_order import misordered_line

Place = Callable[[ast.Module, str], int | None]


def place(tree: ast.Module, about: str) -> int | None:
    """The line of an attribute, as :func:`attribute`; of a definition, ``"Class.method()"``.

    ``"function() end"`` is its last return, or its last statement where it returns nothing;
    ``"function() ~pattern"`` is the first statement in which this regular expression is found, in
    the function or in what it relies on; after `` ~ `` another one may follow, for where it is
    found nowhere. ``"() ~pattern"`` is that of the whole file. ``"kind: what"`` is what the
    function of this kind in ``BY_KIND`` finds.
    """
    kind, _, what = about.partition(": ")
    if kind in BY_KIND:
        return BY_KIND[kind](tree, what)
    path, definition, end = about.partition("()")
    if not definition:
        return attribute(tree, path)
    if not path:
        patterns = end.removeprefix(" ~").split(" ~ ")
        lines = (reachability.written(tree, one) for one in patterns)
        return next(filter(None, lines), None)
    node = _definition(tree, path)
    if isinstance(node, ast.FunctionDef) and end:
        pattern = end.removeprefix(" ~")
        return _end(tree, node) if pattern == end else reachability.find(tree, node, pattern)
    return node.lineno if isinstance(node, ast.FunctionDef | ast.ClassDef) else None


def _definition(tree: ast.Module, path: str) -> ast.AST:
    """What is defined at a path of names, as far as it goes; a name may be misspelled."""
    node: ast.AST = tree
    for name in path.split("."):
        known = {"__call__", "forward"} if name == "__call__" else {name}
        inner = [n for n in getattr(node, "body", []) if getattr(n, "name", "") in known]
        inner = inner or [n for n in ast.walk(node) if getattr(n, "name", "") in known]
        inner = inner or [n for n in ast.walk(node) if _resembles(n, name)]
        inner = inner or (_unused(node) if name == "__call__" else [])
        if not inner:
            break
        node = inner[-1]
    return node


def _own(tree: ast.Module, what: str) -> int | None:
    """Where an attribute gets its value, or a key of its name does: ``"eps small ! size width"``.

    ``small`` is right: then so is a constant that both have. What is behind the mark is wrong, and
    a constant that only these fields read is wrong itself.
    """
    known, _, wrong = what.partition(" ! ")
    name, *right = known.split()
    if (shared := _of_all(tree, name, wrong.split())) is not None:
        return shared
    kept = (one for one in of_kind(tree, ast.Attribute) if isinstance(one.ctx, ast.Store))
    stored = {one.id for one in stores(tree)} | {one.attr for one in kept}
    keyed = None if name in stored else _keyed(tree, name)
    return keyed or attribute(tree, name, right)


def _of_all(tree: ast.Module, name: str, wrong: Sequence[str]) -> int | None:
    """The constant of the file that a field reads, as others do, and nothing that is not wrong."""
    classes = (one for one in tree.body if isinstance(one, ast.ClassDef))
    fields = [one for cls in classes for one in cls.body if isinstance(one, ast.AnnAssign)]
    given = [(ast.unparse(one.target), one.value) for one in fields if one.value is not None]
    values = dict(given)
    names = [name]
    while isinstance(value := values.get(names[-1]), ast.Name) and value.id not in names:
        names.append(value.id)
    used = {id(read): field for field, value in given for read in loads(value)}
    every = of_kind(tree, ast.Name)
    for one in tree.body:
        if not isinstance(one, ast.Assign | ast.AnnAssign) or one.value is None:
            continue
        for kept in targets(one):
            reads = [n for n in every if ast.unparse(kept) == n.id and isinstance(n.ctx, ast.Load)]
            readers = [used.get(id(each), "") for each in reads]
            if len({*readers}) > 1 and {*readers} & {*names} and {*readers} <= {*wrong}:
                return one.lineno
    return None


def _zero(tree: ast.Module, name: str) -> int | None:
    """The one place that asks whether a field is true, which a 0 is not; else where it is kept.

    A place that asks it of every field in turn does as well.
    """
    lines: list[int] = []
    for node in of_kind(tree, ast.If, ast.IfExp, ast.BoolOp):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test):
                asked = [test.operand if isinstance(test, ast.UnaryOp) else test]
            case ast.BoolOp(op=ast.Or(), values=values):
                asked = values[:-1]
            case _:
                continue
        lines += [node.lineno for one in asked if _is_of(one, name)]
    return only(lines, None) or reachability.written(tree, rf"\bself\.{name}\b[^=]*=(?!=)")


def _is_of(node: ast.expr, name: str) -> bool:
    """Whether an expression is a variable or an attribute of this name, or that of any name."""
    match node:
        case ast.Name(id=own) | ast.Attribute(attr=own):
            return own == name
        case ast.Call(func=ast.Name(id="getattr"), args=[_, given, *_]):
            return not isinstance(given, ast.Constant) or given.value == name
    return False


def _keyed(tree: ast.Module, name: str) -> int | None:
    """The one line that gives a key of this name its value: in a dict, a call, or a text.

    Of a variable that only holds that value, the line that works it out.
    """
    found: list[int] = []
    texts = {id(one.value) for one in of_kind(tree, ast.Expr)}
    for node in of_kind(tree, ast.keyword, ast.Assign, ast.Constant):
        match node:
            case ast.keyword(arg=key) if key == name:
                found.append(node.value.lineno)
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=key))]) if key == name:
                found.append(_held(tree, node))
            case ast.Constant(value=str(text)) if id(node) not in texts:
                lines = text.split("\n")
                at = [n for n, one in enumerate(lines) if re.match(rf"\W*{name}\b", one)]
                found += [node.lineno + n for n in at if not _is_target(tree, node)]
    return only(found, None)


def _is_target(tree: ast.Module, node: ast.AST) -> bool:
    """Whether a text is the key of a dict to which an assignment gives a value."""
    stored = of_kind(tree, ast.Subscript)
    return any(one.slice is node for one in stored if isinstance(one.ctx, ast.Store))


def _held(tree: ast.Module, kept: ast.Assign) -> int:
    """The line of an assignment; or that of the one which gives the variable that it keeps."""
    text, every = ast.unparse(kept.value), of_kind(tree, ast.Assign)
    lines = [one.lineno for one in every if text in map(ast.unparse, one.targets)]
    return only(lines, kept.lineno)


def _text(tree: ast.Module, text: str) -> int | None:
    """The one line with this text between quotation marks, or as a line of a longer text."""
    lines: set[int] = set()
    for one in of_kind(tree, ast.Constant):
        if one.value == text:
            lines.add(one.lineno)
        elif isinstance(one.value, str) and (one.end_lineno or 0) > one.lineno:
            rows = enumerate(one.value.split("\n"), one.lineno)
            lines.update(at for at, row in rows if row.strip() == text.strip())
    return only(lines, None)


def _import(tree: ast.Module, wanted: str) -> int | None:
    """The import beside which ``wanted`` belongs: one of the same module, else of the same package.

    Of several, the last of those that share the longest path with it; without any, the first.
    """
    new = ast.parse(wanted).body[0]
    every = [one for one in tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    every = [one for one in every if getattr(one, "module", "") != "__future__"]
    names = {alias.name for alias in getattr(new, "names", ())}
    alike = [one for one in every if names & {alias.name for alias in one.names}]
    alike += [one for one in every if getattr(one, "module", 0) == getattr(new, "module", 1)]
    near = {
        one: _shared(getattr(one, "module", None), getattr(new, "module", None)) for one in every
    }
    most = max(near.values(), default=0)
    alike += [one for one in reversed(every) if near[one] == most > 0]
    return next((one.lineno for one in (*alike, *every)), None)


def _shared(one: str | None, other: str | None) -> int:
    """How many names two dotted paths begin with together."""
    pairs = zip((one or "").split("."), (other or ".").split("."), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _around(tree: ast.Module, what: str) -> int | None:
    """The head of the innermost function around a line."""
    function = around(tree, int(what))
    return None if function is None else function.lineno


def _guard(tree: ast.Module, about: str) -> int | None:
    """The ``if`` whose only statement is at a place; else the place."""
    line = place(tree, about)
    for one in of_kind(tree, ast.If):
        bodies = (one.body, one.orelse)
        if any(len(body) == 1 and body[0].lineno == line for body in bodies):
            return None if line is None else one.lineno
    return line


def _read_again(tree: ast.Module, what: str) -> int | None:
    """The line that reads an attribute for the first or the second time, of two in the file."""
    name, _, which = what.partition(" ")
    every = (one for one in of_kind(tree, ast.Attribute) if one.attr == name)
    lines = sorted(one.lineno for one in every if isinstance(one.ctx, ast.Load))
    return lines[int(which) - 1] if len(lines) == 2 else None


def _thawed(tree: ast.Module, what: str) -> int | None:
    """The decorator of a dataclass that is not frozen, from which the one at this line inherits."""
    classes = {one.name: one for one in tree.body if isinstance(one, ast.ClassDef)}
    for one in classes.values():
        first = min((each.lineno for each in one.decorator_list), default=one.lineno)
        if not first <= int(what) <= one.lineno:
            continue
        for base in map(ast.unparse, one.bases):
            for made in classes[base].decorator_list if base in classes else ():
                text = ast.unparse(made)
                if "dataclass" in text and "frozen=True" not in text:
                    return made.lineno
    return None


def _from_attribute(find: Callable[[ast.Module, int], int]) -> Place:
    """What ``find`` makes of the line that sets an attribute."""

    def place(tree: ast.Module, path: str) -> int | None:
        line = attribute(tree, path)
        return None if line is None else find(tree, line)

    return place


BY_KIND: Mapping[str, Place] = {
    "import": _import,
    "around": _around,
    "unset": unset,
    "reads": reachability.reader,
    "own": _own,
    "zero": _zero,
    "text": _text,
    "made": _from_attribute(constructor_line),
    "given": _from_attribute(giver),
    "counted": _from_attribute(length_line),
    "parts": misordered_line,
    "guard": _guard,
    "read": _read_again,
    "thawed": _thawed,
    "preset": preset,
}
"""What :func:`place` does with ``"kind: what"``."""


def _end(tree: ast.Module, function: ast.FunctionDef) -> int:
    """The last return of a function, or its last statement where that returns nothing.

    If it returns what another function of the file gives, and that returns nothing, its end.
    """
    returns = [one for one in ast.walk(function) if isinstance(one, ast.Return)]
    if not returns:
        return function.body[-1].lineno
    last = max(returns, key=lambda one: one.lineno)
    if isinstance(function.body[-1], ast.Expr) and function.body[-1].lineno > last.lineno:
        return function.body[-1].lineno  # nothing returns what it works out
    calls = [last.value, *getattr(last.value, "elts", ())]
    names = {ast.unparse(one.func) for one in calls if isinstance(one, ast.Call)}
    helpers = (one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name in names)
    silent = (h for h in helpers if not any(isinstance(n, ast.Return) for n in ast.walk(h)))
    return next((one.body[-1].lineno for one in silent), last.lineno)


def _unused(cls: ast.AST) -> list[ast.AST]:
    """The methods of a class that nothing in it uses: one of them is to run when it is called."""
    used = {node.attr for node in ast.walk(cls) if isinstance(node, ast.Attribute)}
    methods = [n for n in getattr(cls, "body", []) if isinstance(n, ast.FunctionDef)]
    return [n for n in methods if n.name not in used and not n.name.startswith("__")]


def _resembles(node: ast.AST, name: str) -> bool:
    """Whether a definition's name is ``name`` but for a letter or a capital."""
    own = getattr(node, "name", None)
    defines = isinstance(node, ast.FunctionDef | ast.ClassDef) and isinstance(own, str)
    near = difflib.get_close_matches(name.lower(), [str(own).lower()], n=1, cutoff=0.85)
    return defines and bool(near)
