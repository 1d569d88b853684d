"""The line that sets an attribute, or that works out what it is set to."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence

from grader.source.argument_flow import argument_line, part_of
from grader.source.ast_cache import of_kind, walked
from grader.source.bindings import around, assigned, is_none, only
from grader.source.def_use import appended, stores
from grader.source.setattr_loops import set_attributes


def attribute(tree: ast.Module, path: str, right: Sequence[str] = ()) -> int | None:
    """The line that sets the last part of ``path`` that this file sets.

    ``"transformer.h.0.attn"`` is about ``self.h`` where no class of the file has an ``attn``. If
    several classes set that name, the one whose class sets no owner counts. None for no such line.
    A constant that one of the fields ``right`` has as well is right.
    """
    parts = [part for part in path.split(".") if not part.isdecimal()]
    for index in reversed(range(len(parts))):
        name = parts[index]
        line = _set_at(tree, name, {*parts[:index]})
        if line is not None:
            line = _filled(tree, _worked_out(tree, line))
            line = part_of(tree, name, _constant(tree, line, right))
            return argument_line(tree, name, _default(tree, name, line))
        classes = of_kind(tree, ast.ClassDef)
        rows = {at for cls in classes for own, at in set_attributes(tree, cls) if own == name}
        if len(rows) == 1:
            return rows.pop()
    return (_nearest(tree, parts[-1]) or _beside(tree, parts[0])) if parts else None


def unset(tree: ast.Module, what: str) -> int | None:
    """Where the class around a line is to set an attribute that it lacks: ``"eps 61"``."""
    name, _, line = what.partition(" ")
    every = of_kind(tree, ast.ClassDef)
    inside = [one for one in every if one.lineno <= int(line) <= (one.end_lineno or 0)]
    if not inside:
        return None
    cls = max(inside, key=lambda one: one.lineno)
    return next((one.lineno for one in stores(cls) if one.id == name), None) or _like(cls, name)


def targets(statement: ast.stmt) -> list[ast.expr]:
    """What an assignment gives a value."""
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target):
            return [target]
    return []


def loads(node: ast.AST) -> list[ast.expr]:
    """The variables and attributes that are read in a node."""
    every = (one for one in walked(node) if isinstance(one, ast.Name | ast.Attribute))
    return [one for one in every if isinstance(one.ctx, ast.Load)]


# ---- where it is set ----------------------------------------------------------------------


def _set_at(tree: ast.Module, name: str, owners: set[str]) -> int | None:
    """The first line that sets an attribute, in a class that sets none of its owners if any does.

    A line that only sets it to None counts where no other does; one of ``__post_init__`` that gives
    it another value counts before the others.
    """
    every = {cls: [*_set_in(cls)] for cls in of_kind(tree, ast.ClassDef)}
    sets = [cls for cls, own in every.items() if name in dict(own)]
    extended = {ast.unparse(base) for cls in sets for base in cls.bases}
    found = [
        (not owners.isdisjoint(dict(every[cls])), line)
        for cls in sets
        for own, line in every[cls]
        if own == name and cls.name not in extended
    ]
    empty = {one.lineno for one in _assignments(tree) if is_none(one.value)}
    found = [one for one in found if one[1] not in empty] or found
    anew = _set_anew(tree, name)
    found = [one for one in found if one[1] in anew] or found
    return min(found)[1] if found else None


def _set_anew(tree: ast.Module, name: str) -> frozenset[int]:
    """The lines of ``__post_init__`` that give a field of a dataclass another value."""
    methods = (one for one in of_kind(tree, ast.FunctionDef) if one.name == "__post_init__")
    sets = (one for method in methods for one in of_kind(method, ast.Assign))
    return frozenset(
        one.lineno
        for one in sets
        if name not in [each.attr for each in of_kind(one.value, ast.Attribute)]
        if name in [getattr(each, "attr", "") for each in one.targets]
    )


def _set_in(cls: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """The attributes of ``self`` that the methods of a class set, and the names set in its body."""
    for node in of_kind(cls, ast.Attribute):
        if isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
    own = {one.attr for one in _of_self(cls, ast.Store)}
    for statement in cls.body:
        typed = isinstance(statement, ast.AnnAssign) and statement.value is None
        for target in targets(statement):
            if isinstance(target, ast.Name) and not (typed and target.id in own):
                yield target.id, target.lineno


def _assignments(tree: ast.Module) -> tuple[ast.Assign | ast.AnnAssign, ...]:
    return of_kind(tree, ast.Assign, ast.AnnAssign)


def _of_self(node: ast.AST, kind: type[ast.expr_context]) -> list[ast.Attribute]:
    """The places in a node that read an attribute of ``self``, or that set one."""
    return [
        one
        for one in of_kind(node, ast.Attribute)
        if isinstance(one.ctx, kind) and isinstance(one.value, ast.Name) and one.value.id == "self"
    ]


def _nearest(tree: ast.Module, name: str) -> int | None:
    """The line that sets a variable of this name, or an attribute spelled much like it."""
    lines: dict[str, int] = {}
    for node in walked(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            lines.setdefault(node.id if isinstance(node, ast.Name) else node.attr, node.lineno)
    near = difflib.get_close_matches(name, lines, n=1, cutoff=0.8)
    return lines[near[0]] if near else None


def _beside(tree: ast.Module, name: str) -> int | None:
    """Where ``self.name``, which nothing sets, is to be set; else its first use."""
    for cls in of_kind(tree, ast.ClassDef):
        loads = [one.lineno for one in _of_self(cls, ast.Load) if one.attr == name]
        if loads:
            return _like(cls, name) or min(loads)
    return None


def _like(cls: ast.ClassDef, name: str) -> int | None:
    """The line at which a class sets the attribute most like ``name``.

    Else the one below which it sets its attributes: ``super().__init__()``, or its method.
    """
    lines = dict(_set_in(cls))
    if near := difflib.get_close_matches(name, lines, n=1, cutoff=0.6):
        return lines[near[0]]
    for one in cls.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            calls = (n for n in one.body if ast.unparse(n).startswith("super("))
            return next(calls, one).lineno
    return None


# ---- where its value is worked out --------------------------------------------------------


def _default(tree: ast.Module, name: str, line: int) -> int:
    """``line``, or that of the default where it only keeps an argument: ``self.x = x``."""
    for function in of_kind(tree, ast.FunctionDef):
        given = function.args.posonlyargs + function.args.args
        defaulted = given[len(given) - len(function.args.defaults) :]
        kept = [ast.unparse(one) for one in function.body if one.lineno == line]
        for arg in defaulted if f"self.{name} = {name}" in kept else ():
            if arg.arg == name:
                return arg.lineno
    return line


def _worked_out(tree: ast.Module, line: int) -> int:
    """``line``; or where the one variable that is passed there was worked out, in the function."""
    function = around(tree, line)
    if function is None:
        return line
    calls = [one.value for one in assigned(function, line) if isinstance(one.value, ast.Call)]
    given = {arg.id for call in calls for arg in call.args if isinstance(arg, ast.Name)}
    sizes = {  # a size that was only given a name is worked out nowhere
        id(name)
        for one in of_kind(function, ast.Assign)
        for name, value in _pairs(one)
        if isinstance(value, ast.Attribute | ast.Name) or _collects(value)
    }
    found = {n.lineno for n in stores(function) if n.id in given and id(n) not in sizes}
    return min(line, only(found, line))


def _collects(value: ast.expr) -> bool:
    """Whether a shape only puts sizes side by side that have names, each once."""
    sizes = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    named = {ast.unparse(one) for one in sizes if isinstance(one, ast.Name | ast.Attribute)}
    return bool(sizes) and len(named) == len(sizes)


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment gives a value, each with its value: ``a, b = c, d`` has two."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=kept)], value=ast.Tuple(elts=values)):
            return list(zip(kept, values, strict=False))
    return [(node.targets[0], node.value)]


def _constant(tree: ast.Module, line: int, right: Sequence[str]) -> int:
    """``line``; or where the file has the one constant, or function, that a field's default is.

    Where others read it too, it is the field that may have the wrong one, and has it if one of
    those is ``right``. So it has if that is the name of a field that is right.
    """
    bodies = (cls.body for cls in of_kind(tree, ast.ClassDef))
    fields = (one for body in bodies for one in body if one.lineno == line)
    sets = [one.value for one in fields if isinstance(one, ast.Assign | ast.AnnAssign)]
    value = only(sets, None)
    value = next(iter(_words(value, "default", "default_factory")), value)
    value = value.func if isinstance(value, ast.Call) and not value.args else value
    text = ast.unparse(value) if isinstance(value, ast.Name | ast.Attribute) else ""
    name = text.rpartition(".")[2]
    if not name or name in right:
        return line
    made = (one for one in of_kind(tree, ast.FunctionDef) if one.name == text)
    ends = [last.lineno for one in made for last in of_kind(one, ast.Return)]
    if len(ends) == 1:
        return ends[0]
    reads = [one for one in loads(tree) if ast.unparse(one) == text]
    kept = [
        one.lineno
        for one in _assignments(tree)
        if one.value is not None and name in [getattr(each, "id", "") for each in targets(one)]
    ]
    first = line == min((one.lineno for one in reads), default=0)
    alone = len(reads) == 1 or (first and _is_of_fields(tree, reads, right))
    return kept[0] if len(kept) == 1 and alone else line


def _is_of_fields(tree: ast.Module, reads: Sequence[ast.expr], right: Sequence[str]) -> bool:
    """Whether only fields read a constant, and none of those that are ``right``."""
    stated = of_kind(tree, ast.AnnAssign)
    fields = [one.value for one in stated]
    fields += [value for one in fields for value in _words(one, "default")]
    known = [one for one in stated if ast.unparse(one.target) in right and one.value is not None]
    inner = {id(name) for one in known for name in loads(one)}
    return all(one in fields for one in reads) and inner.isdisjoint(map(id, reads))


def _words(value: ast.expr | None, *wanted: str) -> list[ast.expr]:
    """What a call such as ``field(default=N)`` gives by one of these names."""
    words = value.keywords if isinstance(value, ast.Call) else []
    return [one.value for one in words if one.arg in wanted]


def _filled(tree: ast.Module, line: int) -> int:
    """``line``; or the only one that appends to the list which it begins."""
    function = around(tree, line)
    if function is None:
        return line
    begins = (one for one in assigned(function, line) if ast.unparse(one.value) == "[]")
    lists = {name.id for one in begins for name in stores(one)}
    calls = of_kind(function, ast.Call)
    return only(
        [one.lineno for one in calls if (found := appended(one)) and found[0] in lists], line
    )
