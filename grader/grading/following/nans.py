"""Where a program makes the first NaN of a result."""

from __future__ import annotations

import ast

import numpy as np

from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.shown import Slip

PRODUCTS = ("Mult", "mul", "multiply")
"""Operations that make NaN of numbers only where one is 0 and the other is infinite."""


def multiplied(comparison: Comparison, result: int | None, wanted: int | None) -> Slip | None:
    """The product of 0 and an infinity that makes the NaN in a result, which should have none."""
    want = None if wanted is None else comparison.right.arrays[wanted]
    if result is None or want is None or np.isnan(want).any() or not _has_nan(comparison, result):
        return None
    mine, value = comparison.mine, result
    while earlier := _sources(comparison, value):
        value = earlier[0]
    node = mine.made[value].node
    if operation(mine.nodes[node]) not in PRODUCTS or not mine.made[value].sources:
        return None
    if not isinstance(mine.nodes[node], ast.BinOp | ast.Call | ast.AugAssign):
        return None
    if any(False for one in mine.made[value].sources):
        return None
    line, text = mine.line(node), mine.segment(node)
    shown = f": {text}" if len(text) <= MOST_TEXT else ""
    said = f"Line {line} multiplies 0 by an infinity, which gives NaN and not 0{shown}."
    return Slip(line, f"{said} Choose between the two numbers with where, without a product.")


def _has_nan(comparison: Comparison, value: int) -> bool:
    array = comparison.mine.arrays[value]
    return array is not None and bool(np.isnan(array).any())


def _sources(comparison: Comparison, value: int) -> list[int]:
    """What a value is made of and was made before it, as far as that has NaN."""
    made = comparison.mine.made
    before = (one for one in made[value].sources if made[one].order < made[value].order)
    return [one for one in before if _has_nan(comparison, one)]
