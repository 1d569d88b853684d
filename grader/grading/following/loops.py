"""A loop that takes no turn."""

from __future__ import annotations

import ast

from grader.grading.following.run import Run
from grader.grading.reading.bindings import callee
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import appended


def without_turn(mine: Run, error: SeenError) -> Slip | None:
    """The loop that is to fill a list, and takes no turn, so that the list is empty at an error."""
    call = error.calls[-1] if error.calls else None
    if call is None or "at least one" not in error.message:
        return None
    for loop in (one for one in mine.nodes if isinstance(one, ast.For)):
        filled = {one[0] for node in ast.walk(loop) if (one := appended(node)) is not None}
        over = loop.iter.args if isinstance(loop.iter, ast.Call) else []
        held = mine.held(mine.numbers[over[-1]]) if callee(loop.iter) == "range" and over else ()
        if len(held) == 1 and held[0] <= 0 and any(one in call.code for one in filled):
            until = ast.unparse(over[-1])
            said = f"The loop of line {loop.lineno} takes no turn here: {until} is {held[0]:g}"
            return Slip(loop.lineno, f"{said}, so that {', '.join(filled)} stays empty.")
    return None
