"""The constant of a file that is wrong, which a line further down only reads."""

from __future__ import annotations

import ast
import re

from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import around, callee, targets
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError
from grader.source.variables import read, stored
from grader.source.walked import walked

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


def preset(mine: Run, node: int, new: ast.expr) -> Slip | None:
    """The ``partial`` that presets an argument otherwise than ``new``, a call of it, gives it."""
    old = mine.nodes[node]
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call):
        return None
    before = {one.arg for one in old.keywords}
    other = [one for one in new.keywords if one.arg not in before]
    name = ast.unparse(old.func)
    for one in walked(mine.tree):
        made = one.value if isinstance(one, ast.Assign | ast.AnnAssign) else None
        if not isinstance(made, ast.Call) or callee(made) != "partial" or len(other) != 1:
            continue
        if name not in targets(one) or other[0].arg not in [word.arg for word in made.keywords]:
            continue
        words = [other[0] if word.arg == other[0].arg else word for word in made.keywords]
        text = ast.unparse(ast.Call(made.func, made.args, words))
        line = made.lineno
        said = f"Line {old.lineno} calls {name}, for which line {line} sets "
        have = next(word for word in made.keywords if word.arg == other[0].arg)
        said = f"{said}{ast.unparse(have)}: it is to be {ast.unparse(other[0])}."
        return Slip(line, said, text)
    return None


def _parsed(code: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except SyntaxError:
        return []
