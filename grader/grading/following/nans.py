"""Where a program makes the first NaN of a result, or an infinity in place of a finite number."""

from __future__ import annotations

import ast

import numpy as np

from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.shown import Slip

PRODUCTS = ("Mult", "mul", "multiply")
"""Operations that make NaN of numbers only where one is 0 and the other is infinite."""

ARITHMETIC = ("Div", "Pow", "div", "divide", "pow", "power", "exp", "log", "reciprocal", "rsqrt")
"""Operations that make an infinity of finite numbers."""


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
    if any(_divided(comparison, one) for one in mine.made[value].sources):
        return None
    line, text = mine.line(node), mine.segment(node)
    shown = f": {text}" if len(text) <= MOST_TEXT else ""
    said = f"Line {line} multiplies 0 by an infinity, which gives NaN and not 0{shown}."
    return Slip(line, f"{said} Choose between the two numbers with where, without a product.")


def endless(mine: Run) -> Slip | None:
    """The line that makes minus infinity, where a row of a result has nothing else."""
    low = [one is not None and bool((one.array == -np.inf).any()) for one in mine.trail.values]
    for place in mine.places:
        if low[place.value] and not isinstance(mine.nodes[place.node], ast.Name):
            text, line = mine.segment(place.node), mine.line(place.node)
            shown = f": {text}" if len(text) <= MOST_TEXT else ""
            said = f"Line {line} makes minus infinity{shown}. A row of nothing else has no softmax."
            return Slip(line, f"{said} finfo(dtype).min is finite, and hides as well.")
    return None


def _divided(comparison: Comparison, value: int) -> bool:
    """Whether the infinities in a value come up in a step on finite numbers: that one is wrong.

    A mask has them from the constant with which it is filled.
    """
    mine, todo, seen = comparison.mine, [value], set[int]()
    while todo:
        one = todo.pop()
        if one in seen or not _is_infinite(comparison, one):
            continue
        seen.add(one)
        made = mine.made[one]
        before = [each for each in made.sources if _is_infinite(comparison, each)]
        if made.sources and not before and operation(mine.nodes[made.node]) in ARITHMETIC:
            return True
        todo += before
    return False


def _is_infinite(comparison: Comparison, value: int) -> bool:
    array = comparison.mine.arrays[value]
    return array is not None and bool(np.isinf(array).any())


def _has_nan(comparison: Comparison, value: int) -> bool:
    array = comparison.mine.arrays[value]
    return array is not None and bool(np.isnan(array).any())


def _sources(comparison: Comparison, value: int) -> list[int]:
    """What a value is made of and was made before it, as far as that has NaN."""
    made = comparison.mine.made
    before = (one for one in made[value].sources if made[one].order < made[value].order)
    return [one for one in before if _has_nan(comparison, one)]
