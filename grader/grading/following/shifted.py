"""A mask whose rows are counted from the wrong number: what is compared is wrong, not how."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from grader.grading.following.evaluate import COMPARES
from grader.grading.following.relations import Floats
from grader.grading.following.run import Question, Run, operation, question
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import bound, targets
from grader.grading.reading.shown import Slip

SHAPERS = ("reshape", "unsqueeze", "expand_dims", "cast", "astype", "to", "broadcast_to")
"""Operations that keep the numbers."""

Hidden = npt.NDArray[np.bool_]


def shifted(comparison: Comparison, result: int | None, wanted: int | None) -> Slip | None:
    """The line that makes the rows' numbers, if the mask is right once all are as much larger."""
    mine = comparison.mine
    have = None if result is None else mine.arrays[result]
    want = None if wanted is None else comparison.right.arrays[wanted]
    if have is None or want is None or not _differ_in_hidden(have, want):
        return None
    for node in mine.nodes:
        made = question(node) if isinstance(node, ast.expr) else None
        asked = _last(mine, node) if isinstance(node, ast.expr) and made is not None else None
        if made is None or asked is None or asked.shape != have.shape:
            continue
        turned = bool(np.array_equal(asked != 0, ~np.isneginf(have)))
        if turned or np.array_equal(asked != 0, np.isneginf(have)):
            hidden = np.isneginf(want) != turned
            return _of_rows(mine, made, hidden)
    return None


def _differ_in_hidden(have: Floats, want: Floats) -> bool:
    """Whether two masks differ in nothing but the places that they hide, of which each has some."""
    if have.shape != want.shape or have.ndim < 2 or np.array_equal(have, want):
        return False
    shown = [one[~np.isneginf(one)] for one in (have, want)]
    some = all(0 < one.size < have.size for one in shown)
    return some and len(np.unique(np.concatenate(shown))) == 1


def _of_rows(mine: Run, asked: Question, hidden: Hidden) -> Slip | None:
    """The line of the side of a comparison that has a number for each row."""
    compare = COMPARES.get(asked.op)
    sides = [_last(mine, one) for one in (asked.left, asked.right)]
    if compare is None or sides[0] is None or sides[1] is None:
        return None
    for at, one in enumerate((asked.left, asked.right)):
        array = sides[at]
        if array is None or array.ndim < 2 or array.shape[-2] < 2:
            continue
        if (array != array[..., :1]).any():
            continue
        for by in _steps(hidden.shape[-1]):
            pair = [
                side + by if at == n else side for n, side in enumerate(sides) if side is not None
            ]
            if np.array_equal(compare(*pair), hidden):
                return _told(mine, one, by)
    return None


def _steps(most: int) -> Iterator[int]:
    """How much larger or smaller numbers may be; by one is another mistake, in the comparison."""
    for by in range(2, most):
        yield from (by, -by)


def _last(mine: Run, node: ast.expr) -> Floats | None:
    values = mine.values(mine.numbers[node])
    return mine.arrays[values[-1]] if values else None


def _told(mine: Run, node: ast.expr, by: int) -> Slip:
    """That the numbers of a side are too small or too large, at the line that works them out."""
    text, line = mine.segment(mine.numbers[node]), node.lineno
    inner: ast.AST = node
    while True:
        while isinstance(inner, ast.Call) and (operation(inner) in SHAPERS):
            of_module = len(inner.args) > 0 and mine.gave(mine.numbers[inner.args[0]])
            func = inner.func
            inner = inner.args[0] if of_module else getattr(func, "value", func)
        made = bound(mine.tree, inner.id, line) if isinstance(inner, ast.Name) else None
        if not isinstance(made, ast.Assign) or made.lineno >= line or len(targets(made)) != 1:
            break
        line, inner = made.lineno, made.value
        text = targets(made)[0]
    kind = "small" if by > 0 else "large"
    said = f"Line {line} {'makes' if line != node.lineno else 'compares'} {text}"
    here = f"{said}, whose numbers are all {abs(by)} too {kind} here"
    sign, most = "+" if by > 0 else "-", str(abs(by))
    return Slip(line, f"{here}: with {text} {sign} {most} the result would be right.")
