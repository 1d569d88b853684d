"""How far a range of positions goes that a program makes, beside the reference's."""

from __future__ import annotations

import ast

from grader.grading.following.run import Run, operation
from grader.grading.reading.bindings import bound
from grader.grading.reading.shown import Slip


def miscounted(mine: Run, right: Run) -> Slip | None:
    """The line that gives the one range of a program its end, where the reference's is another."""
    own, other = _end(mine), _end(right)
    if not isinstance(own, ast.Name) or other is None:
        return None
    have, want = mine.held(mine.numbers[own]), right.held(right.numbers[other])
    kept = bound(mine.tree, own.id, own.lineno)
    if kept is None or len(have) != 1 or len(want) != 1 or have == want:
        return None
    said = f"{own.id} is {have[0]:g}, from line {kept.lineno}: {own.id} ends the range of line"
    return Slip(kept.lineno, f"{said} {own.lineno}, and the reference's ends at {want[0]:g}.")


def _end(run: Run) -> ast.expr | None:
    """Where the one range ends that a program makes a tensor of."""
    calls = [n for n in run.nodes if isinstance(n, ast.Call) and operation(n) == "range"]
    given = calls[0].args[:2] if len(calls) == 1 else []
    return given[-1] if given else None
