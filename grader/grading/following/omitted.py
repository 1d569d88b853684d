"""A step of the reference that a program leaves out, and what it computes in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grader.grading.following.cause import Cause
from grader.grading.following.run import Made, operation
from grader.grading.following.trace import SWAPS, Comparison
from grader.grading.reading.program import target

LONGEST = 4
"""Operations of the reference that one step may consist of."""


RESHAPES = ("reshape", "flatten", "view", "ravel")
"""Operations that give the same numbers another shape."""


@dataclass(frozen=True)
class Omitted:
    """A ``line`` of the learner gives ``have``, which the reference takes through a ``step``.

    ``idle`` is the operation that is there for it, if that gives what it was given.
    """

    line: int
    have: int
    step: Made
    idle: str = ""


def omitted(comparison: Comparison, cause: Cause) -> Omitted | None:
    """The step that lies between what the cause uses and what the reference uses there.

    None where the program takes such a step somewhere: then it uses the wrong one of two values.
    """
    mine, want = comparison.mine, cause.want
    if want is None or want in comparison.matched:
        return None
    for have in mine.latest(cause.node) if cause.have is None else (cause.have,):
        match = comparison.match(have)
        step = _between(comparison, match, want, LONGEST)
        at = None if step is None else _place(comparison, cause, have, step)
        if step is None or at is None or not _is_one(comparison, step, match):
            continue
        if idle := _changes_nothing(comparison, have, step, match):
            return Omitted(at.lineno, have, step, idle)
        if not _taken(comparison, step, match, at):
            return Omitted(_made_at(comparison, have, step, at), have, step)
    return None


def _changes_nothing(comparison: Comparison, have: int, step: Made, match: int | None) -> str:
    """The operation of the step's kind that gave ``have``, with the numbers that it was given."""
    mine, made = comparison.mine, comparison.mine.made[have]
    wanted = operation(comparison.right.nodes[step.node])
    alike = next((some for some in (SWAPS, RESHAPES) if wanted in some), (wanted,))
    if match in map(comparison.match, made.sources) and operation(mine.nodes[made.node]) in alike:
        return operation(mine.nodes[made.node])
    nodes = [place.node for place in mine.places if place.value == have]
    idle = (
        one for one in nodes if operation(mine.nodes[one]) in alike and have in mine.latest(one)
    )
    return next((operation(mine.nodes[one]) for one in idle), "")


@dataclass(frozen=True)
class Forgotten:
    """A value, by ``name``, goes without the ``call`` that ``line`` makes for another one."""

    line: int
    call: str
    name: str

    def __str__(self) -> str:
        return f"Line {self.line} calls {self.call}; {self.name} goes without."


def forgotten(comparison: Comparison, cause: Cause) -> Forgotten | None:
    """The call of a helper that the reference makes for a value, and the learner for others only.

    It is told with the nearest of these calls.
    """
    mine, have, want = comparison.mine, cause.have, cause.want
    if have is None or want is None or want in comparison.matched:
        return None
    step = _between(comparison, comparison.match(have), want, LONGEST)
    name = next((target(*one) for one in mine.bindings(have) if target(*one)), "")
    if step is None or not name:
        return None
    helpers, line = _helpers(comparison, step), mine.line(cause.node)
    gave = {place.node for place in mine.places if place.value == have}
    calls = [
        node
        for node in mine.nodes
        if isinstance(node, ast.Call)
        and mine.named(cause.node) != operation(node) in helpers
        and mine.numbers[node] not in gave
        and mine.named(mine.numbers[node]) == mine.named(cause.node)
    ]
    near = min(calls, key=lambda one: abs(line - one.lineno), default=None)
    return None if near is None else Forgotten(near.lineno, operation(near), name)


def _helpers(comparison: Comparison, step: Made) -> frozenset[str]:
    """The functions that take such a step, and give what the reference has too."""
    mine, right = comparison.mine, comparison.right
    kind = operation(right.nodes[step.node])
    own = {
        mine.named(made.node)
        for value, made in mine.made.items()
        if operation(mine.nodes[made.node]) == kind and comparison.known(value)
    }
    return frozenset({right.named(step.node), *own})


def _place(comparison: Comparison, cause: Cause, have: int, step: Made) -> ast.stmt | None:
    """The statement after which a step belongs: the last that binds or returns ``have``.

    It is in the function that has the step in the reference, or else before the cause.
    """
    mine = comparison.mine
    bound = [mine.numbers[statement] for statement, _ in mine.bindings(have)]
    scope, inside = comparison.right.scope(step.node), mine.function(cause.node)
    there = [one for one in bound if mine.scope(one) == scope]
    here = [one for one in there or bound if there or mine.function(one) == inside]
    last = [one for one in bound[-1:] if isinstance(mine.nodes[one], ast.Return)]
    inner = comparison.right.named(step.node) not in ("__call__", "forward")
    here = here or (last if inner else [])  # a helper that has another name than the reference's
    same = [one for one in here if mine.function(one) == inside]
    if not here or (same and mine.line(same[-1]) >= mine.line(cause.node)):
        return None
    return mine.statement(here[-1])


def _made_at(comparison: Comparison, have: int, step: Made, at: ast.stmt) -> int:
    """The line of ``at``; of the helper's that makes ``have``, if the reference goes on there."""
    mine, right = comparison.mine, comparison.right
    match, maker = comparison.match(have), mine.made[have].node
    statement = None if match is None or match < 0 else right.statement(right.made[match].node)
    apart = mine.function(maker) != mine.function(mine.numbers[at])
    whole = statement is not None and statement is right.statement(step.node)
    return mine.line(maker) if apart and whole else at.lineno


def _between(comparison: Comparison, match: int | None, want: int, most: int) -> Made | None:
    """The first operation on the way from one value of the reference to another.

    Nothing on the way may be known to the learner's program.
    """
    if match is None or match < 0 or not most:
        return None
    made = comparison.right.made[want]
    if match in made.sources:
        return made
    for source in made.sources:
        if source not in comparison.matched:
            found = _between(comparison, match, source, most - 1)
            if found is not None:
                return found
    return None


def _is_one(comparison: Comparison, step: Made, match: int | None) -> bool:
    """Whether only this step can be missing: what else it takes is there, or of no input.

    A call that takes three values does what a program may do in steps of its own.
    """
    others = [one for one in {*step.sources} - {match} if comparison.right_flows(one)]
    return len(others) < 2 and all(map(comparison.has_right, others))


def _taken(comparison: Comparison, step: Made, match: int | None, at: ast.stmt) -> bool:
    """Whether the learner's function takes a step of this kind with the same other values.

    Without other values, whether it takes as many of the kind as the reference's function.
    """
    mine, right = comparison.mine, comparison.right
    function = mine.function(mine.numbers[at])
    others = {one for one in step.sources if one != match}
    kind = operation(right.nodes[step.node])
    alike = {
        made.node
        for made in mine.made.values()
        if operation(mine.nodes[made.node]) == kind and mine.function(made.node) == function
        if others <= {comparison.match(one) for one in made.sources}
    }
    if others:
        return bool(alike)
    there = {
        made.node
        for made in right.made.values()
        if operation(right.nodes[made.node]) == kind
        and right.function(made.node) == right.function(step.node)
    }
    return len(alike) >= len(there)


def wasted(comparison: Comparison) -> Iterator[tuple[int, int, str]]:
    """What is computed and not used: the node, the value, the variable (empty without one).

    A part that is kept as ``_`` is not meant to be used.
    """
    mine = comparison.mine
    for place in mine.places:
        statement = mine.statement(place.node)
        if not mine.is_whole(place.node):
            continue
        name = target(statement, place.part)
        match statement:
            case ast.Expr() if place.part < 0:
                yield place.node, place.value, ""
            case ast.Assign() if (
                name and not mine.loads(place.node, name) and not mine.is_unfilled(place.node)
            ):
                if place.part < 0:
                    yield place.node, place.value, name
