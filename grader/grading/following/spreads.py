"""The size that a tensor should not be broadcast to: where it comes from."""

from __future__ import annotations

import ast

from grader.grading.following.cause import Cause
from grader.grading.following.lesson import sizes
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import callee, functions
from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind


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
