"""A number that tensors are multiplied by at another place than in the reference, and is wrong."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence

from grader.grading.following.kinds import kind
from grader.grading.following.run import Run
from grader.grading.following.scalars import Scalars
from grader.grading.following.trace import SWAPS, Comparison, Departure
from grader.grading.reading.shown import Slip

VERBS = {"Mult": "multiplies", "Div": "divides"}
"""Operations with a number that may as well come earlier or later, and what a line does then."""

LINEAR = ("MatMult", "Subscript", "reshape", "unsqueeze", "squeeze", *SWAPS)
"""Operations before which a factor may as well come as after them."""


def misscaled(comparison: Comparison, found: Sequence[Departure]) -> Slip | None:
    """The line of a wrong factor, where the reference has its one factor at a later step.

    None where the program has the right factor too: then this one is a step too much.
    """
    if len(found) != 1 or len(found[0].sources) != 1:
        return None
    (one,), mine, right = found, comparison.mine, comparison.right
    factor, match = _factor(mine, one.node), comparison.match(found[0].sources[0])
    wanted = {there for node in _scaling(right) if (there := _factor(right, node))}
    if not factor or match is None or len(wanted) != 1:
        return None
    (want,) = wanted
    if any(math.isclose(_factor(mine, node) or 0.0, want, rel_tol=1e-6) for node in _scaling(mine)):
        return None
    here = match in _scaled(right)
    if not here and not any(_leads_to(right, match, source) for source in _scaled(right)):
        return None
    own = kind(mine, one.node)
    line, order = mine.line(one.node), mine.made[one.value].order
    have, there = (value if own == "Mult" else 1 / value for value in (factor, want))
    if (axis := Scalars(comparison).of_axis(mine.nodes[one.node], order, (there,))) is not None:
        return Slip(axis.line, axis.said)
    if here:
        return None  # that it is another number is told with the operation
    origin = Scalars(comparison).number(one.node, order, there)
    over = ", one over that" if math.isclose(have * there, 1, rel_tol=1e-6) else ""
    said = f"Line {line} {VERBS[own]} by {have:.4g}."
    if origin not in (None, line):
        said = f"Line {origin} gives {have:.4g}, by which line {line} {VERBS[own]}."
    said = f"{said} In the reference it is {there:.4g}{over}."
    return Slip(origin or line, said)


def _scaling(run: Run) -> Iterator[int]:
    """The nodes at which a program multiplies tensors by a plain number, or divides them."""
    nodes = {made.node for made in run.made.values()}
    yield from (node for node in nodes if kind(run, node) in VERBS and _factor(run, node))


def _scaled(run: Run) -> Iterator[int]:
    """What a program multiplies so."""
    for made in run.made.values():
        if kind(run, made.node) in VERBS and _factor(run, made.node):
            yield from made.sources


def _factor(run: Run, node: int) -> float | None:
    """The plain number by which a node multiplies a tensor; None if it does not."""
    match run.nodes[node]:
        case ast.BinOp(left=left, right=right) | ast.Call(args=[left, right]):
            pass
        case _:
            return None
    if kind(run, node) not in VERBS:
        return None
    for inner in (right, left):
        number = run.numbers[inner]
        held = run.held(number)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, int | float):
            held = (float(inner.value),)
        if len(held) == 1 and held[0] and not run.gave(number):
            divides = kind(run, node) == "Div"
            return None if divides and inner is left else _turned(held[0], divides=divides)
    return None


def _turned(value: float, *, divides: bool) -> float:
    return 1 / value if divides else value


def _leads_to(run: Run, value: int, later: int) -> bool:
    """Whether one value becomes another by steps before which a factor may come, at least one."""
    todo, seen = [later], {later}
    while todo:
        made = run.made[todo.pop()]
        if kind(run, made.node) not in LINEAR:
            continue
        if value in made.sources:
            return True
        todo += [one for one in made.sources if one not in seen]
        seen.update(made.sources)
    return False
