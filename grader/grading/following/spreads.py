"""The sizes that a tensor cannot be broadcast to, or should not be: where they come from."""

from __future__ import annotations

import ast
import re

from grader.grading.following.cause import Cause
from grader.grading.following.lesson import sizes
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import bound, callee, functions
from grader.grading.reading.shown import Slip, name_of
from grader.protocol.probe import SeenError
from grader.source.walked import of_kind, walked

SHAPES = re.compile(r"shape \[([\d, ]*)\] cannot be broadcast to \[([\d, ]*)\]")
"""How the message of such an error gives both shapes."""


def missized(comparison: Comparison, error: SeenError, said: str) -> Slip | None:
    """The line that gives a variable the one size which does not fit a tensor that is right."""
    mine, line, found = comparison.mine, error.line or 0, SHAPES.search(said)
    code = error.calls[-1].code if error.calls else ""
    node = mine.written(line, code)
    if found is None or node is None or not all(map(comparison.settled, mine.latest(node))):
        return None
    have, want = (one.replace(" ", "").split(",") for one in found.groups())
    lists = [one for one in ast.walk(mine.nodes[node]) if isinstance(one, ast.List | ast.Tuple)]
    asked = next((one.elts for one in lists if len(one.elts) == len(want)), None)
    if len(have) > len(want):
        return None  # an axis is missing, and no size is wrong
    odd = [at for at in range(-len(have), 0) if have[at] not in ("1", want[at])]
    name = name_of(asked[odd[0]]) if asked is not None and len(odd) == 1 else ""
    made = bound(mine.tree, name, line) if name else None
    if made is None or made.lineno == line:
        return None
    there = f"the tensor of line {line} has {have[odd[0]]} there"
    return Slip(made.lineno, f"{name} is {want[odd[0]]}, from line {made.lineno}: {there}.")


def odd_one(comparison: Comparison, error: SeenError, said: str) -> Slip | None:
    """The line that makes the one of three tensors or more which does not fit the others.

    It has one axis, and its size is that of a variable.
    """
    mine, line = comparison.mine, error.line or 0
    node = mine.written(line, error.calls[-1].code if error.calls else "")
    if node is None or "do not fit together, element by element" not in said:
        return None
    names = [one for one in ast.walk(mine.nodes[node]) if isinstance(one, ast.Name)]
    seen = {one.id: mine.values(mine.numbers[one]) for one in names}
    arrays = {name: mine.arrays[values[-1]] for name, values in seen.items() if values}
    shapes = {name: one.shape for name, one in arrays.items() if one is not None and one.ndim}
    odd = [one for one in shapes if [*shapes.values()].count(shapes[one]) == 1]
    others = {shape for name, shape in shapes.items() if name not in odd}
    made = bound(mine.tree, odd[0], line) if len(odd) == 1 and len(others) == 1 else None
    (want, *more), have = (others or {(0, 0)}).pop(), shapes[odd[0]] if made is not None else ()
    if made is None or more or len(have) != 1:
        return None
    held = {
        one.id: mine.held(mine.numbers[one])
        for one in ast.walk(made)
        if isinstance(one, ast.Name) and mine.held(mine.numbers[one])
    }
    size = [name for name, numbers in held.items() if numbers == have]
    right = _of_size(comparison, made, want)
    if len(size) != 1 or not right:
        return None
    told = f"Line {made.lineno} makes {odd[0]} {have[0]} long, as {size[0]} is. The others that"
    return Slip(made.lineno, f"{told} line {line} takes are {want} long, as {right} is.")


def _of_size(comparison: Comparison, made: ast.stmt, want: int) -> str:
    """The one variable, worked out above a statement in its function, that is this number."""
    mine = comparison.mine
    inside = [one for one in walked(mine.around(made) or mine.tree) if isinstance(one, ast.Name)]
    names = {one.id for one in inside if mine.held(mine.numbers[one]) == (float(want),)}
    above = [one for one in names if bound(mine.tree, one, made.lineno) is not None]
    return above[0] if len(above) == 1 else ""


def shaped(comparison: Comparison, cause: Cause) -> Slip | None:
    """The list of sizes that a helper returns for the one call which gives a tensor another shape.

    The reference's tensor has as many axes.
    """
    mine, call = comparison.mine, comparison.mine.nodes[cause.node]
    values = mine.values(cause.node)
    have = mine.arrays[values[-1]] if values else None
    want = None if cause.gives is None else comparison.right.arrays[cause.gives]
    if not isinstance(call, ast.Call) or have is None or want is None or have.ndim != want.ndim:
        return None
    every = [callee(one) for one in mine.nodes]
    asked = [functions(mine.tree).get(callee(one)) for one in call.args]
    own = next((one for one in asked if one is not None and every.count(one.name) == 1), None)
    ends = [one for one in ast.walk(own) if isinstance(one, ast.Return)] if own is not None else []
    given = ends[0].value if len(ends) == 1 else None
    if not isinstance(given, ast.List | ast.Tuple) or len(given.elts) != have.ndim:
        return None
    odd = [at for at in range(have.ndim) if have.shape[at] != want.shape[at]]
    if len(odd) != 1:
        return None
    said = f"Line {given.lineno} gives {ast.unparse(given)}, which is the shape {sizes(have.shape)}"
    said = f"{said} on line {call.lineno}. The reference has {sizes(want.shape)} there:"
    part, right = ast.unparse(given.elts[odd[0]]), want.shape[odd[0]]
    helper = functions(mine.tree).get(callee(given.elts[odd[0]]))
    inner = [] if helper is None else of_kind(helper, ast.Return)
    if len(inner) == 1 and inner[0].value is not None:
        told = f"Line {inner[0].lineno} gives {ast.unparse(inner[0].value)} for {part}, which is"
        return Slip(inner[0].lineno, f"{told} {have.shape[odd[0]]} here. {said} {right}.")
    return Slip(given.lineno, f"{said} {right} in place of {part}.")
