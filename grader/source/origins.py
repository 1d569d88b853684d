"""Where in a file a value comes from: the line that sets an attribute, or defines a name.

Longer than 300 lines, because each kind of statement that gives a name is looked up in its own way.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile

from grader.source import reach
from grader.source.counted import counted
from grader.source.parts import astray
from grader.source.passed import giver, maker, part_of, passed, preset
from grader.source.tables import by_name
from grader.source.variables import appended, stores
from grader.source.walked import of_kind, walked


def attribute(tree: ast.Module, path: str, right: Sequence[str] = ()) -> int | None:
    """The line that sets the last part of ``path`` that this file sets.

    ``"transformer.h.0.attn"`` is about ``self.h`` where no class of the file has an ``attn``. If
    several classes set that name, the one whose class sets no owner counts. None for no such line.
    A constant that one of the fields ``right`` has as well is right.
    """
    parts = [part for part in path.split(".") if not part.isdecimal()]
    for index in range(len(parts) - 1, -1, -1):
        owners = set(parts[:index])
        sets = [cls for cls in of_kind(tree, ast.ClassDef) if parts[index] in dict(_set_in(cls))]
        extended = {ast.unparse(base) for cls in sets for base in cls.bases}
        found = [
            (bool(owners & {name for name, _ in _set_in(cls)}), line)
            for cls in sets
            for name, line in _set_in(cls)
            if name == parts[index] and cls.name not in extended
        ]
        empty = _emptied(tree)
        found = [one for one in found if one[1] not in empty] or found
        anew = _set_anew(tree, parts[index])
        found = [one for one in found if one[1] in anew] or found
        if found:
            line = _filled(tree, _worked_out(tree, min(found)[1]))
            line = part_of(tree, parts[index], _constant(tree, line, right))
            return passed(tree, parts[index], _default(tree, parts[index], line))
        classes = of_kind(tree, ast.ClassDef)
        rows = {n for cls in classes for name, n in by_name(tree, cls) if name == parts[index]}
        if len(rows) == 1:
            return rows.pop()
    return (_nearest(tree, parts[-1]) or _beside(tree, parts[0])) if parts else None


def _set_anew(tree: ast.Module, name: str) -> frozenset[int]:
    """The lines of ``__post_init__`` that give a field of a dataclass another value."""
    methods = of_kind(tree, ast.FunctionDef)
    after = (one for method in methods if method.name == "__post_init__" for one in walked(method))
    sets = (one for one in after if isinstance(one, ast.Assign) and not _reads(one.value, name))
    return frozenset(
        one.lineno for one in sets for each in one.targets if getattr(each, "attr", "") == name
    )


def _reads(node: ast.AST, name: str) -> bool:
    """Whether an attribute of this name is read."""
    return any(isinstance(one, ast.Attribute) and one.attr == name for one in ast.walk(node))


def _emptied(tree: ast.Module) -> frozenset[int]:
    """The lines that only set something to None, until a later line sets it."""
    sets = (one for one in walked(tree) if isinstance(one, ast.Assign | ast.AnnAssign))
    values = ((one.lineno, one.value) for one in sets)
    return frozenset(
        line for line, value in values if isinstance(value, ast.Constant) and value.value is None
    )


def _default(tree: ast.Module, name: str, line: int) -> int:
    """``line``, or that of the default where it only keeps an argument: ``self.x = x``."""
    for function in walked(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = function.args.posonlyargs + function.args.args
        defaulted = {
            arg.arg: arg.lineno for arg in given[len(given) - len(function.args.defaults) :]
        }
        for one in function.body:
            kept = isinstance(one, ast.Assign) and ast.unparse(one) == f"self.{name} = {name}"
            if kept and one.lineno == line and name in defaulted:
                return defaulted[name]
    return line


def _nearest(tree: ast.Module, name: str) -> int | None:
    """The line that sets a variable of this name, or an attribute spelled much like it."""
    names: dict[str, int] = {}
    for node in walked(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, node.lineno)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.attr, node.lineno)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
    return names.get(name) or (names[near[0]] if near else None)


def _value(tree: ast.Module, name: str, right: Sequence[str] = ()) -> int | None:
    """Where an attribute gets its value, as :func:`attribute`; or a key of its name does."""
    stored = {node.id for node in stores(tree)} | {
        one.attr for one in of_kind(tree, ast.Attribute) if isinstance(one.ctx, ast.Store)
    }
    found = None if name in stored else _keyed(tree, name)
    return found or attribute(tree, name, right)


def _own(tree: ast.Module, what: str) -> int | None:
    """Where a field gets its value; or the constant that several fields read, all of them wrong."""
    known, _, wrong = what.partition(" ! ")
    name, *right = known.split()
    return _of_all(tree, name, wrong.split()) or _value(tree, name, right)


def _of_all(tree: ast.Module, name: str, wrong: Sequence[str]) -> int | None:
    """The constant of the file that a field reads, as others do, and nothing that is not wrong."""
    classes = (one for one in tree.body if isinstance(one, ast.ClassDef))
    fields = [one for cls in classes for one in cls.body if isinstance(one, ast.AnnAssign)]
    values = {ast.unparse(one.target): one.value for one in fields if one.value is not None}
    names = [name]
    while isinstance(value := values.get(names[-1]), ast.Name) and value.id not in names:
        names.append(value.id)
    used = {id(one): ast.unparse(field.target) for field in fields for one in _values_in(field)}
    loads = of_kind(tree, ast.Name)
    for one in tree.body:
        if not isinstance(one, ast.Assign | ast.AnnAssign) or one.value is None:
            continue
        for kept in _targets(one):
            reads = [n for n in loads if ast.unparse(kept) == n.id and isinstance(n.ctx, ast.Load)]
            readers = [used.get(id(each), "") for each in reads]
            if len({*readers}) > 1 and {*readers} & {*names} and {*readers} <= {*wrong}:
                return one.lineno
    return None


def _values_in(field: ast.AnnAssign) -> list[ast.expr]:
    """What the default of a field is worked out from."""
    return [] if field.value is None else _names(field.value)


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
    return lines[0] if len(lines) == 1 else reach.written(tree, rf"\bself\.{name}\b[^=]*=(?!=)")


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
    return found[0] if len(found) == 1 else None


def _is_target(tree: ast.Module, node: ast.AST) -> bool:
    """Whether a text is the key of a dict to which an assignment gives a value."""
    stored = of_kind(tree, ast.Subscript)
    return any(one.slice is node for one in stored if isinstance(one.ctx, ast.Store))


def _held(tree: ast.Module, kept: ast.Assign) -> int:
    """The line of an assignment; or that of the one which gives the variable that it keeps."""
    text = ast.unparse(kept.value)
    lines = [
        one.lineno for one in of_kind(tree, ast.Assign) if text in map(ast.unparse, one.targets)
    ]
    return lines[0] if len(lines) == 1 else kept.lineno


def _text(tree: ast.Module, text: str) -> int | None:
    """The one line with this text between quotation marks, or as a line of a longer text."""
    every = of_kind(tree, ast.Constant)
    lines: set[int] = set()
    for one in every:
        if one.value == text:
            lines.add(one.lineno)
        elif isinstance(one.value, str) and (one.end_lineno or 0) > one.lineno:
            rows = enumerate(one.value.split("\n"), one.lineno)
            lines.update(at for at, row in rows if row.strip() == text.strip())
    return lines.pop() if len(lines) == 1 else None


def _beside(tree: ast.Module, name: str) -> int | None:
    """Where ``self.name``, which nothing sets, is to be set: at the attribute most like it.

    Its first use where no other is like it.
    """
    for cls in walked(tree):
        loads = [
            node.lineno
            for node in ast.walk(cls)
            if isinstance(cls, ast.ClassDef)
            and isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and ast.unparse(node) == f"self.{name}"
        ]
        if isinstance(cls, ast.ClassDef) and loads:
            lines = dict(_set_in(cls))
            near = difflib.get_close_matches(name, lines, n=1, cutoff=0.6)
            return lines[near[0]] if near else _started(cls) or min(loads)
    return None


def _started(cls: ast.ClassDef) -> int | None:
    """The line below which a class sets its attributes: ``super().__init__()``, or its method."""
    for one in cls.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            calls = [n for n in one.body if ast.unparse(n).startswith("super(")]
            return calls[0].lineno if calls else one.lineno
    return None


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
    line = int(what)
    found = of_kind(tree, ast.FunctionDef)
    return max((o.lineno for o in found if o.lineno <= line <= (o.end_lineno or 0)), default=None)


def _unset(tree: ast.Module, what: str) -> int | None:
    """Where the class around a line is to set an attribute that it lacks: ``"eps 61"``."""
    name, _, line = what.partition(" ")
    every = of_kind(tree, ast.ClassDef)
    around = [one for one in every if one.lineno <= int(line) <= (one.end_lineno or 0)]
    if not around:
        return None
    cls = max(around, key=lambda one: one.lineno)
    stored = [node.lineno for node in stores(cls) if node.id == name]
    lines = dict(_set_in(cls))
    near = [lines[one] for one in difflib.get_close_matches(name, lines, n=1, cutoff=0.6)]
    return next(iter((*stored, *near)), _started(cls))


def _of_self(tree: ast.AST) -> list[ast.Attribute]:
    nodes = of_kind(tree, ast.Attribute)
    return [one for one in nodes if isinstance(one.value, ast.Name) and one.value.id == "self"]


def _made(tree: ast.Module, path: str) -> int | None:
    """The line of an attribute; or that of a helper which makes the object for it."""
    line = attribute(tree, path)
    return None if line is None else maker(tree, line)


def _given(tree: ast.Module, path: str) -> int | None:
    """The line of an attribute; or where the function that it calls with nothing makes it."""
    line = attribute(tree, path)
    return None if line is None else giver(tree, line)


def _counted(tree: ast.Module, path: str) -> int | None:
    """The line that says how many entries the list has which becomes an attribute."""
    line = attribute(tree, path)
    return None if line is None else counted(tree, line)


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


BY_KIND: Mapping[str, Callable[[ast.Module, str], int | None]] = {
    "import": _import,
    "around": _around,
    "unset": _unset,
    "reads": reach.reader,
    "own": _own,
    "zero": _zero,
    "text": _text,
    "made": _made,
    "given": _given,
    "counted": _counted,
    "parts": astray,
    "guard": _guard,
    "read": _read_again,
    "thawed": _thawed,
    "preset": preset,
}
"""What :func:`place` does with ``"kind: what"``."""


def _worked_out(tree: ast.Module, line: int) -> int:
    """``line``; or where the one variable that is passed there was worked out, in the function."""
    functions = of_kind(tree, ast.FunctionDef)
    inside = [n for n in functions if n.lineno <= line <= (n.end_lineno or 0)]
    function = inside[-1] if inside else ast.Module([], [])
    nodes = list(ast.walk(function))
    calls = [n.value for n in nodes if isinstance(n, ast.Assign) and n.lineno == line]
    given = {
        arg.id
        for call in calls
        if isinstance(call, ast.Call)
        for arg in call.args
        if isinstance(arg, ast.Name)
    }
    sizes = {  # a size that was only given a name is worked out nowhere
        id(name)
        for one in nodes
        if isinstance(one, ast.Assign)
        for name, value in _pairs(one)
        if isinstance(value, ast.Attribute | ast.Name) or _collects(value)
    }
    found = [n.lineno for n in stores(function) if n.id in given and id(n) not in sizes]
    return found[-1] if len(set(found)) == 1 and found[0] < line else line


def _collects(value: ast.expr) -> bool:
    """Whether a shape only puts sizes side by side that have names, each once."""
    sizes = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    named = {ast.unparse(one) for one in sizes if isinstance(one, ast.Name | ast.Attribute)}
    return bool(sizes) and len(named) == len(sizes)


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment gives a value, each with its value: ``a, b = c, d`` has two."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            return list(zip(names, values, strict=False))
    return [(node.targets[0], node.value)]


def _constant(tree: ast.Module, line: int, right: Sequence[str]) -> int:
    """``line``; or where the file has the one constant, or function, that a field's default is.

    Where others read it too, it is the field that may have the wrong one, and has it if one of
    those is ``right``. So it has if that is the name of a field that is right.
    """
    fields = [
        one.value
        for cls in of_kind(tree, ast.ClassDef)
        for one in cls.body
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.lineno == line
    ]
    value = fields[0] if len(fields) == 1 else None
    words = value.keywords if isinstance(value, ast.Call) else []
    given = ("default", "default_factory")
    value = next((one.value for one in words if one.arg in given), value)
    value = value.func if isinstance(value, ast.Call) and not value.args else value
    text = ast.unparse(value) if isinstance(value, ast.Name | ast.Attribute) else ""
    name = text.rpartition(".")[2]
    if name in right:
        return line
    ends = [
        last.lineno
        for one in of_kind(tree, ast.FunctionDef)
        if one.name == text
        for last in ast.walk(one)
        if isinstance(last, ast.Return)
    ]
    if len(ends) == 1:
        return ends[0]
    loads = [one for one in _names(tree) if ast.unparse(one) == text]
    kept = [
        one.lineno
        for one in walked(tree)
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None
        if name and name in [getattr(each, "id", "") for each in _targets(one)]
    ]
    first = line == min((one.lineno for one in loads), default=0)
    first = first and _is_of_fields(tree, loads, right)
    return kept[0] if len(kept) == 1 and (len(loads) == 1 or first) else line


def _is_of_fields(tree: ast.Module, loads: Sequence[ast.expr], right: Sequence[str]) -> bool:
    """Whether only fields read a constant, and none of those that are ``right``."""
    stated = of_kind(tree, ast.AnnAssign)
    fields = [one.value for one in stated]
    fields += [word.value for one in fields for word in _defaults(one)]
    known = [one for one in stated if ast.unparse(one.target) in right and one.value is not None]
    inner = {id(name) for one in known for name in _names(one)}
    return all(one in fields for one in loads) and inner.isdisjoint(map(id, loads))


def _names(node: ast.AST) -> list[ast.expr]:
    """The variables and attributes that are read in a node."""
    every = (one for one in walked(node) if isinstance(one, ast.Name | ast.Attribute))
    return [one for one in every if isinstance(one.ctx, ast.Load)]


def _defaults(value: ast.expr | None) -> list[ast.keyword]:
    """What a call as ``field(default=N)`` gives as the default."""
    words = value.keywords if isinstance(value, ast.Call) else []
    return [one for one in words if one.arg == "default"]


def _filled(tree: ast.Module, line: int) -> int:
    """``line``; or the only one that appends to the list which it begins."""
    every = of_kind(tree, ast.FunctionDef)
    inside = [one for one in every if one.lineno <= line <= (one.end_lineno or 0)]
    nodes = list(ast.walk(inside[-1])) if inside else []
    begins = (one for one in nodes if isinstance(one, ast.Assign) and one.lineno == line)
    names = {
        target.id
        for one in begins
        if isinstance(one.value, ast.List) and not one.value.elts
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    calls = (one for one in nodes if isinstance(one, ast.Call))
    lines = [one.lineno for one in calls if (found := appended(one)) and found[0] in names]
    return lines[0] if len(lines) == 1 else line


def place(tree: ast.Module, about: str) -> int | None:
    """The line of an attribute, as :func:`attribute`; of a definition, ``"Class.method()"``.

    ``"import: statement"`` is where this import belongs, ``"around: 7"`` the head of the function
    around line 7, ``"unset: eps 61"`` where the class around line 61 is to set ``self.eps``.
    ``"own: eps small"`` is that of the attribute, or of a key of this name, where small is right:
    then so is a constant that both have. After `` ! `` come all that are
    wrong: what only these read is wrong itself. ``"zero: eps"`` is where the file
    asks whether it is true, which a 0 is not; ``"text: eps"`` that of the text; ``"made: c_fc"``
    that of the attribute too, or of a helper which makes the object for it, and ``"given: ln_1"``
    only of one that is called with nothing; ``"counted: h"`` that of the number of its entries.
    ``"parts: split"`` is where the names of the parts that this pattern makes are in another order
    than elsewhere. ``"guard: place"`` is the ``if`` that decides whether what is there is done, and
    ``"read: ln_1 2"`` where the file reads the attribute for the second time, of two.
    ``"preset: eps"`` is where a partial sets this argument.
    ``"thawed: 7"`` is the decorator of the dataclass, not frozen, that the one of line 7 extends.
    ``"function() end"`` is its last return, or its last statement where it returns nothing;
    ``"function() ~pattern"`` is the first statement in which this regular expression is found, in
    the function or in what it relies on; after `` ~ `` another one may follow, for where it is
    found nowhere. ``"() ~pattern"`` is that of the whole file, and
    ``"reads: pattern"`` the first that reads a constant of the file in which it is found.
    """
    kind, _, what = about.partition(": ")
    if kind in BY_KIND:
        return BY_KIND[kind](tree, what)
    path, definition, end = about.partition("()")
    if not definition:
        return attribute(tree, path)
    if not path:
        patterns = end.removeprefix(" ~").split(" ~ ")
        lines = (reach.written(tree, one) for one in patterns)
        return next(filter(None, lines), None)
    node: ast.AST = tree
    for name in path.split("."):
        names = {"__call__", "forward"} if name == "__call__" else {name}
        inner = [n for n in getattr(node, "body", []) if getattr(n, "name", "") in names]
        inner = inner or [n for n in ast.walk(node) if getattr(n, "name", "") in names]
        inner = inner or [n for n in ast.walk(node) if _resembles(n, name)]
        inner = inner or (_unused(node) if name == "__call__" else [])
        if not inner:
            break
        node = inner[-1]
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return None
    if end.startswith(" ~") and isinstance(node, ast.FunctionDef):
        return reach.reached(tree, node, end.removeprefix(" ~"))
    if end and isinstance(node, ast.FunctionDef):
        return _end(tree, node)
    return node.lineno


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


def _set_in(cls: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """The attributes of ``self`` that the methods of a class set, and the names set in its body."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
    for statement in cls.body:
        for target in _targets(statement):
            if isinstance(target, ast.Name) and not _only_annotated(statement, cls):
                yield target.id, target.lineno


def _only_annotated(statement: ast.stmt, cls: ast.ClassDef) -> bool:
    """Whether a statement only says the type of what a method of the class sets."""
    if not isinstance(statement, ast.AnnAssign) or statement.value is not None:
        return False
    stored = (one for one in _of_self(cls) if isinstance(one.ctx, ast.Store))
    return ast.unparse(statement.target) in {one.attr for one in stored}


def _targets(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target):
            return [target]
    return []
