"""Branches that do not run: what they ask for is not given, or a return comes before them."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from grader.grading.following.cause import Cause
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import callee, functions, is_none, none_by_default
from grader.grading.reading.program import parameters
from grader.source.annotations import allows_none
from grader.source.variables import read, stored
from grader.source.variables import stores as stored_at
from grader.source.walked import walked


@dataclass(frozen=True)
class Absent:
    """A call that gives no value to a parameter ``name`` of its function, which is None then."""

    call: ast.Call
    function: ast.FunctionDef
    name: str


def absent(run: Run, node: ast.If | ast.IfExp, name: str, most: int = 3) -> list[Absent]:
    """The calls that ran and leave out a parameter, of which a branching asks if it is None.

    Where a caller hands over its own parameter, the calls of the caller that leave that out.
    """
    function = run.around(node)
    set_before = function is not None and any(
        one.id == name and one.lineno < node.test.lineno for one in stored_at(function)
    )
    return [] if function is None or set_before else _absent(run, function, name, most)


def _absent(run: Run, function: ast.FunctionDef, name: str, most: int) -> list[Absent]:
    if functions(run.tree).get(function.name) is not function or not most:
        return []
    if not takes_none(function, name):
        return []
    found = []
    for one in run.nodes:
        if not isinstance(one, ast.Call) or callee(one) != function.name:
            continue
        given, caller = _given(one, function, name), run.around(one)
        if given is None or not run.gave(run.numbers[one]):
            continue
        if is_none(given):
            found.append(Absent(one, function, name))
        elif isinstance(given, ast.Name) and caller is not None and given.id not in stored(caller):
            found += _absent(run, caller, given.id, most - 1)
    return found


def takes_none(function: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter may be None: by its default, or by its annotation."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    own = next((one for one in every if one.arg == name), None)
    return own is not None and (none_by_default(function, name) or allows_none(own.annotation))


def _given(call: ast.Call, function: ast.FunctionDef, name: str) -> ast.expr | None:
    """What a call gives to a parameter: None as written if nothing; nothing if that is unknown."""
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    if starred or any(word.arg is None for word in call.keywords):
        return None
    words = {word.arg: word.value for word in call.keywords}
    places = dict(zip(_by_place(call, function), call.args, strict=False))
    return words.get(name) or places.get(name) or ast.Constant(None)


def _by_place(call: ast.Call, function: ast.FunctionDef) -> list[str]:
    """The parameters that a call may give by place."""
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)]
    return names[1:] if names[:1] == ["self"] and isinstance(call.func, ast.Attribute) else names


def without(run: Run, one: Absent) -> tuple[str, str]:
    """What is said of a call that leaves a parameter out, and the call with it."""
    call, name, names = one.call, one.name, _by_place(one.call, one.function)
    said = f"Line {call.lineno} calls {one.function.name}"
    words = [word.arg for word in call.keywords]
    if name in words or name in names[: len(call.args)]:
        return f"{said} with None for {name}", ""
    said, caller = f"{said} without {name}, which is None there", run.around(call)
    if caller is None or name not in stored(caller) | {*parameters(caller)}:
        return said, ""
    whole = copy.deepcopy(call)
    if names[len(call.args) : len(call.args) + 1] == [name] and not words:
        whole.args.append(ast.Name(name))
    else:
        whole.keywords.append(ast.keyword(name, ast.Name(name)))
    return said, ast.unparse(whole)


def returned_early(comparison: Comparison, cause: Cause | None) -> tuple[int, str, str] | None:
    """The condition that lets a program return what is right too early: line and sentence.

    What it returns stands where the reference has something that this program never makes, by a
    step that is among the statements which do not run.
    """
    mine = comparison.mine
    if cause is None or cause.have is None or cause.want is None:
        return None
    if cause.want in comparison.matched or not comparison.settled(cause.have):
        return None
    for node in mine.nodes:
        end = node.body[-1] if isinstance(node, ast.If) and not node.orelse else None
        if not isinstance(node, ast.If) or not isinstance(end, ast.Return) or end.value is None:
            continue
        if _asks_argument(mine, node):
            continue
        block = mine.block(node, ("body", "orelse"))
        rest = block[block.index(node) + 1 :] if block else []
        at = [n for n, one in enumerate(mine.places) if one.node == mine.numbers[end.value]]
        at = [n for n in at if mine.places[n].value == cause.have]
        if not at or _ran_after(mine, node, at[-1], rest):
            continue
        kinds = {operation(one) for part in rest for one in ast.walk(part)}
        steps = (comparison.right.nodes[one] for one in _behind(comparison, cause.want))
        if not rest or kinds.isdisjoint(map(operation, steps)):
            continue
        line, first = node.test.lineno, rest[0].lineno
        said = f"Line {line}: {ast.unparse(node.test)} is true here, so line {end.lineno} returns"
        said = f"{said} {ast.unparse(end.value)}, and line {first} does not run. In the reference"
        return line, f"{said} it does: the condition holds too often.", ""
    return None


def returned_apart(run: Run, result: int, have: str, want: str) -> tuple[int, str] | None:
    """The return for some cases alone that gives a result of another shape: line and sentence."""
    given = [run.statement(one.node) for one in run.places if one.value == result]
    ends = [one for one in given if isinstance(one, ast.Return)]
    asked = run.parents.get(ends[-1]) if ends else None
    if not isinstance(asked, ast.If) or ends[-1] not in (*asked.body, *asked.orelse):
        return None
    was = "true" if ends[-1] in asked.body else "false"
    said = f"Line {ends[-1].lineno} returns a result of shape {have}, as {ast.unparse(asked.test)}"
    said = f"{said} is {was} on line {asked.lineno}. The reference's has the shape {want}."
    return ends[-1].lineno, said


def _asks_argument(run: Run, node: ast.If) -> bool:
    """Whether a helper that is called in several places asks about what it is given there."""
    helper = run.around(node)
    if helper is None or not read(node.test) & {*parameters(helper)} - {"self"}:
        return False
    return sum(callee(one) == helper.name for one in walked(run.tree)) > 1


def _ran_after(run: Run, node: ast.If, at: int, rest: list[ast.stmt]) -> bool:
    """Whether something in statements left a value in the call around entry ``at`` of the run."""
    inside = run.function(run.numbers[node])
    starts = [n for n, one in enumerate(run.places) if one.node == inside]
    begun = max((n for n in starts if n < at), default=0)
    until = min((n for n in starts if n > at), default=len(run.places))
    ran = {one.node for one in run.places[begun:until]}
    return any(run.numbers[one] in ran for part in rest for one in ast.walk(part))


def _behind(comparison: Comparison, want: int) -> list[int]:
    """The nodes of the reference that make a value and what it comes from, unless that is known."""
    right, found, todo, seen = comparison.right, [], [want], {want}
    while todo:
        made = right.made[todo.pop()]
        if isinstance(right.nodes[made.node], ast.Call | ast.BinOp):
            found.append(made.node)
        more = [one for one in made.sources if one not in seen and one not in comparison.matched]
        todo, seen = [*todo, *more], {*seen, *more}
    return found
