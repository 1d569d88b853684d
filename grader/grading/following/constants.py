"""The constant of a file that is wrong, which a line further down only reads."""

from __future__ import annotations

import ast
import re

from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import around, targets
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import read, stored

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


def filled(comparison: Comparison, departure: Departure) -> Slip | None:
    """The constant of the file with the one number that a call fills a tensor with, and wrongly."""
    mine, array = comparison.mine, comparison.mine.arrays[departure.value]
    call = mine.nodes[departure.node]
    if array is None or not array.size or (array != array.flat[0]).any():
        return None
    for given in call.args if isinstance(call, ast.Call) and not departure.sources else ():
        held = mine.held(mine.numbers[given]) if isinstance(given, ast.Name) else ()
        if not isinstance(given, ast.Name) or held != (float(array.flat[0]),):
            continue
        inside = around(mine.tree, given.lineno)
        if inside is not None and given.id in stored(inside):
            continue
        for one in mine.tree.body:
            if isinstance(one, ast.Assign | ast.AnnAssign) and given.id in targets(one):
                said = f"{given.id} is {held[0]:g}, from line {one.lineno}"
                return Slip(one.lineno, f"{said}, and line {given.lineno} fills a tensor with it.")
    return None


def _parsed(code: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except SyntaxError:
        return []
