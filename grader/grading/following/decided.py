"""A mask that a loop fills with one of two numbers each time, and with the wrong one somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.shown import Slip

WHOLE = ("where", "triu", "tril", "band_part", "masked_fill")
"""Operations that choose for all places at once."""

TURNING = (ast.For, ast.ListComp, ast.GeneratorExp)


def decided(comparison: Comparison, result: int | None, wanted: int | None) -> Slip | None:
    """The one question in the loops that made a result which has the reference's two numbers.

    They are at other places than there, and not each in place of the other everywhere.
    """
    mine = comparison.mine
    have = None if result is None else mine.arrays[result]
    want = None if wanted is None else comparison.right.arrays[wanted]
    if result is None or have is None or want is None or have.shape != want.shape:
        return None
    apart = have != want
    both = np.unique(want)
    if have.ndim < 2 or len(both) != 2 or not np.isin(have, both).all():
        return None
    if not apart.any() or apart.all():
        return None
    tests = [*_tests(mine, mine.around(mine.nodes[mine.made[result].node]))]
    if len(tests) != 1:
        return None
    row, column = (int(one) for one in np.argwhere(apart)[0][-2:])
    line, text = tests[0].lineno, ast.unparse(tests[0])
    said = f"Line {line} chooses between the two numbers by {text}: in row {row}, column {column}"
    said = f"{said} that gives the wrong one."
    return Slip(line, said)


def _tests(run: Run, function: ast.FunctionDef | None) -> Iterator[ast.expr]:
    """What is asked inside the loops of a function; what it chooses by otherwise, twice."""
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Call) and operation(node) in WHOLE:
            yield from (node, node)
        if isinstance(node, ast.If | ast.IfExp) and _turns(run, node):
            yield node.test


def _turns(run: Run, node: ast.AST) -> bool:
    outer = run.parents.get(node)
    while outer is not None and not isinstance(outer, ast.FunctionDef):
        if isinstance(outer, TURNING):
            return True
        outer = run.parents.get(outer)
    return False
