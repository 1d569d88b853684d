"""The size that a right tensor cannot be broadcast to: where it comes from."""

from __future__ import annotations

import ast
import re

from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import bound
from grader.grading.reading.shown import Slip, name_of
from grader.protocol.probe import SeenError

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
    odd = [at for at in range(-len(have), 0) if have[at] not in ("1", want[at])]
    name = name_of(asked[odd[0]]) if asked is not None and len(odd) == 1 else ""
    made = bound(mine.tree, name, line) if name else None
    if made is None or made.lineno == line:
        return None
    there = f"the tensor of line {line} has {have[odd[0]]} there"
    return Slip(made.lineno, f"{name} is {want[odd[0]]}, from line {made.lineno}: {there}.")
