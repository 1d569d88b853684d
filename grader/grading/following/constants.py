"""The constant of a file that an error is about, which a line further down only reads."""

from __future__ import annotations

import ast
import re

from grader.grading.reading.bindings import targets
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import read

ABSENT = re.compile(r"^Axis (-?\d+) does not exist")
"""What is said of an axis that a tensor does not have."""


def fixed(tree: ast.Module, error: SeenError, said: str) -> Slip | None:
    """The constant of the file with this axis, if the call that raised the error reads it."""
    found = ABSENT.search(said)
    call = error.calls[-1] if error.calls else None
    if found is None or call is None:
        return None
    names = {name for one in _parsed(call.code) for name in read(one)}
    for one in tree.body:
        value = one.value if isinstance(one, ast.Assign) else None
        if (
            value is not None
            and names.intersection(targets(one))
            and ast.unparse(value) == found[1]
        ):
            return Slip(one.lineno, f"Line {one.lineno} sets {ast.unparse(one)}.")
    return None


def _parsed(code: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except SyntaxError:
        return []
