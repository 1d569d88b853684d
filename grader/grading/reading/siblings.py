"""Statements that do the same for several variables, and the one that takes another's by mistake.

``q = turn(q)`` beside ``k = turn(q)``: what was copied was not changed everywhere. Only the source
is looked at, so the numbers must be wrong already.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.base.model import Trace
from grader.grading.reading.bindings import around, callee, functions
from grader.grading.reading.odd import blocks
from grader.grading.reading.shown import Slip, meant, name_of, own_calls
from grader.source.variables import stored
from grader.source.walked import of_kind, walked

NAME = re.compile(r"Name\(id='\w+'")
"""A variable in the text of a syntax tree."""


@dataclass(frozen=True)
class Unit:
    """An assignment: the variable, the variables that it is made from, and all else as text."""

    node: ast.Assign
    name: str
    read: tuple[str, ...]
    form: str


def beside(tree: ast.Module, trace: Trace | None) -> Iterator[Slip]:
    """What is odd beside its like; for the weakest of these, unless the path is left before it."""
    sure = (
        unpacked,
        returned,
        refilled,
    )
    for slip in astray(tree):
        before = trace is not None and trace.line is not None and trace.line < slip.line
        inside = around(tree, slip.line)
        if not before or (trace and inside is not around(tree, trace.line or 0)):
            yield slip
    for one in sure:
        yield from one(tree)


def astray(tree: ast.Module) -> Iterator[Slip]:
    """Assignments that change another variable than the one which they give its value.

    Those like it in the same block change their own. The variable has a value before.
    """
    for function in of_kind(tree, ast.FunctionDef):
        alike: dict[tuple[int, str], list[Unit]] = defaultdict(list)
        for number, block in enumerate(blocks(function)):
            for unit in filter(None, map(_unit, block)):
                alike[number, unit.form].append(unit)
        for units in alike.values():
            for at in range(len(units[0].read)):
                yield from _odd_one(function, units, at)
                yield from _copied(function, units, at)


def unpacked(tree: ast.Module) -> Iterator[Slip]:
    """Assignments that take a result apart in another order than a function takes the parts.

    The function is the file's own, takes just these, and is given each by its own name.
    """
    for call, given, name, params in own_calls(tree):
        inside = around(tree, call.lineno)
        stand = [meant(one, params) for one in given]
        if stand != [*range(len(params))] or len(params) < 2 or inside is None:
            continue
        for node in of_kind(inside, ast.Assign):
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Call()):
                    taken = tuple(name_of(one) for one in elts)
                case _:
                    continue
            other = list(taken) != given and sorted(taken) == sorted(given)
            if other and node.lineno < call.lineno:
                said = f"Line {node.lineno} takes the parts apart as {', '.join(taken)}"
                said = (
                    f"{said}; {name} takes {', '.join(params)}. Are the names in the right order?"
                )
                yield Slip(node.lineno, said)


def refilled(tree: ast.Module) -> Iterator[Slip]:
    """Lists that are made to be filled, and that a loop gives a new value in every turn instead.

    If the loop does so only under a condition, something else must fill the list.
    """
    for function in of_kind(tree, ast.FunctionDef):
        for loop in of_kind(function, ast.For):
            for one in of_kind(loop, ast.stmt):
                match one:
                    case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                        name = ast.unparse(target)
                    case _:
                        continue
                first = _empty_list(function, name, loop.lineno)
                others = {ast.unparse(each) for each in walked(value)}
                if first is None or name in others or f"{name}.append" in ast.unparse(loop):
                    continue
                always = one in loop.body
                if not always and f"{name}.append(" not in ast.unparse(function):
                    continue
                said = f"Line {one.lineno} gives {name} a new value in "
                said += "every turn" if always else "turns"
                said = f"{said} of the loop of line {loop.lineno}; line {first} makes it a list to"
                item = value.elts[0] if isinstance(value, ast.List) and value.elts else value
                write = f"{name}.append({ast.unparse(item)})"
                yield Slip(one.lineno, f"{said} be filled.", write)


def _empty_list(function: ast.FunctionDef, name: str, before: int) -> int | None:
    """The line above ``before`` that gives a variable or an attribute an empty list."""
    for node in walked(function):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.lineno >= before:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for one, value in pairs:
                if ast.unparse(one) == name and isinstance(value, ast.List) and not value.elts:
                    return node.lineno
    return None


def returned(tree: ast.Module) -> Iterator[Slip]:
    """Assignments that take a result apart in another order than the function returns the parts."""
    known = functions(tree)
    for node in of_kind(tree, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Call() as call):
                taken, function = [name_of(one) for one in elts], known.get(callee(call))
            case _:
                continue
        last = function.body[-1] if function is not None else None
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple):
            continue
        given = [name_of(one) for one in last.value.elts]
        for at, name in enumerate(given[: len(taken)]):
            if name and name in taken and taken[at] not in ("", name):
                said = f"Line {node.lineno} takes the parts apart in another order than"
                said = f"{said} {callee(call)} returns them: {name} is {ORDER[at]}, on line"
                said = f"{said} {last.lineno}."
                yield Slip(node.lineno, said)
                break


ORDER = ("the first", "the second", "the third", *("a later one",) * 9)


def _odd_one(function: ast.FunctionDef, units: Sequence[Unit], at: int) -> Iterator[Slip]:
    """The one unit that is not made from its own variable at a place where the others are."""
    own = [one for one in units if one.read[at] == one.name]
    odd = [one for one in units if one not in own]
    if len(odd) != 1 or not own:
        return
    (one,), names = odd, {other.name for other in own}
    other = one.read[at]
    if other not in names or one.name in names or one.name in one.read:
        return
    if not _has(function, one.name, one.node.lineno):
        return
    line, near = one.node.lineno, own[0]
    said = f"Line {line} makes {one.name} from {other}; line {near.node.lineno}, which is like it"
    yield Slip(line, f"{said}, makes {near.name} from {near.name}.", _with(one, at, one.name))


def _copied(function: ast.FunctionDef, units: Sequence[Unit], at: int) -> Iterator[Slip]:
    """The one unit that takes another's of the variables named like it, as ``k_weight`` for k.

    Or as ``k`` for ``k_heads``.

    Its own is an argument of the function, or has a value before.
    """
    longer = any(_pattern(one.name, one.read[at]) for one in units)
    named = [
        (one, _pattern(*((one.name, one.read[at]) if longer else (one.read[at], one.name))))
        for one in units
    ]
    patterns = {pattern for one, pattern in named if pattern}
    odd = [one for one, pattern in named if not pattern]
    if len(patterns) != 1 or len(odd) != 1 or len(units) < 2:
        return
    (one,), pattern = odd, patterns.pop()
    near = next((n for n in units if n is not one and n.read[at] == one.read[at]), None)
    own = _own(one, pattern)
    if near is None or not _has(function, own, one.node.lineno):
        return
    said = f"Line {one.node.lineno} makes {one.name} from {near.read[at]}, as line"
    said = f"{said} {near.node.lineno} makes {near.name}: is {own} meant?"
    yield Slip(one.node.lineno, said, _with(one, at, own))


def _own(unit: Unit, pattern: str) -> str:
    """The variable that is named like a unit, by how others are named like theirs."""
    before, _, after = pattern.partition("{}")
    inner = unit.name.removeprefix(before).removesuffix(after)
    return inner if f"{before}{inner}{after}" == unit.name else pattern.format(unit.name)


def _pattern(name: str, part: str) -> str:
    """A name with a gap where one of its words is ``part``; empty for none."""
    words = name.split("_")
    gaps = ["{}" if one == part else one for one in words]
    return "_".join(gaps) if gaps.count("{}") == 1 and len(words) > 1 else ""


def _with(unit: Unit, at: int, name: str) -> str:
    """The statement with another variable in this place."""
    changed = copy.deepcopy(unit.node)
    _names(changed.value)[at].id = name
    return ast.unparse(changed)


def _has(function: ast.FunctionDef, name: str, line: int) -> bool:
    """Whether a variable has a value before a line: as an argument, or from a line above."""
    given = function.args
    if name in [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]:
        return True
    above = (one for one in of_kind(function, ast.stmt) if one.lineno < line)
    return any(name in stored(one) for one in above if isinstance(one, ast.Assign | ast.For))


def _unit(node: ast.stmt) -> Unit | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            read = tuple(one.id for one in _names(value))
            return Unit(node, name, read, NAME.sub("Name(", ast.dump(value)))
    return None


def _names(value: ast.AST) -> tuple[ast.Name, ...]:
    """The places in an expression that read a variable, always in the same order."""
    return of_kind(value, ast.Name)
