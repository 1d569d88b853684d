"""A step of the reference that a program leaves out, and the line after which it belongs."""

from __future__ import annotations

from dataclasses import dataclass

from grader.grading.cause import Cause
from grader.grading.run import Made, operation
from grader.grading.trace import Comparison

LONGEST = 4
"""Operations of the reference that one step may consist of."""


@dataclass(frozen=True)
class Omitted:
    """A ``line`` of the learner gives ``have``, which the reference takes through a ``step``."""

    line: int
    have: int
    step: Made


def omitted(comparison: Comparison, cause: Cause) -> Omitted | None:
    """The step that lies between what the cause uses and what the reference uses there.

    None where the program takes such a step somewhere: then it uses the wrong one of two values.
    """
    mine, want = comparison.mine, cause.want
    if want is None or want in comparison.matched:
        return None
    for have in mine.latest(cause.node) if cause.have is None else (cause.have,):
        step = _between(comparison, comparison.match(have), want, LONGEST)
        inside = mine.function(cause.node)
        made = [
            statement.lineno
            for statement, _ in mine.bindings(have)
            if mine.function(mine.numbers[statement]) == inside
        ]
        before = made and made[-1] < mine.line(cause.node)
        match = comparison.match(have)
        if before and step is not None and not _taken(comparison, step, match, inside):
            return Omitted(made[-1], have, step)
    return None


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


def _taken(comparison: Comparison, step: Made, match: int | None, function: int | None) -> bool:
    """Whether the learner's function takes a step of this kind with the same other values."""
    mine, right = comparison.mine, comparison.right
    others = {one for one in step.sources if one != match}
    kind = operation(right.nodes[step.node])
    return any(
        operation(mine.nodes[made.node]) == kind
        and mine.function(made.node) == function
        and others <= {comparison.match(one) for one in made.sources}
        for made in mine.made.values()
    )
