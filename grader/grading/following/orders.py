"""Numbers that are right but for their order, or for a factor of each row: what would be right."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from grader.grading.following.relations import ATOL, Floats, same
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import SWAPS, Comparison
from grader.source.variables import stored


def turned(mine: Floats, right: Floats) -> str:
    """Which two axes are swapped, if that is all; what else is odd about equal sizes."""
    if sorted(mine.shape) != sorted(right.shape):
        return ""
    for i, j in combinations(range(mine.ndim), 2):
        if same(mine.swapaxes(i, j), right):
            return f" Its axes {i - mine.ndim} and {j - mine.ndim} are swapped."
    if mine.shape != right.shape:
        return " The sizes are the same, in another order."
    cut = np.array_equal(mine, np.trunc(mine)) and not np.array_equal(right, np.trunc(right))
    return " It holds whole numbers only: is it cast to integers?" if cut else ""


def joined(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    """Which axes are to be one, or which one is to be two, if that is all that differs."""
    short, long = sorted((have, want), key=len)
    if len(long) != len(short) + 1:
        return ""
    for at, size in enumerate(short):
        a, b = long[at : at + 2]
        if min(a, b) < 2 or (*long[:at], a * b, *long[at + 2 :]) != short:
            continue
        first = at - len(have)
        if long is have:
            return f"Its axes {first} and {first + 1} are to be one: {a} times {b} is {size}."
        return f"Its axis {first} is to be two: {size} is {a} times {b}."
    return ""


def stale(run: Run, node: int) -> str:
    """The line that reads the shape of what a reshape is given, before its axes are swapped."""
    call, inside = run.nodes[node], run.around(run.nodes[node])
    if not isinstance(call, ast.Call) or operation(call) != "reshape" or inside is None:
        return ""
    receiver = getattr(call.func, "value", None)
    given = {one.id for one in (receiver, *call.args[:1]) if isinstance(one, ast.Name)}
    used = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
    swapped = {
        target: one.lineno
        for one in ast.walk(inside)
        if isinstance(one, ast.Assign) and one.lineno < call.lineno
        for target in stored(one) & given
        if any(operation(inner) in SWAPS for inner in ast.walk(one.value))
    }
    for one in ast.walk(inside):
        if not isinstance(one, ast.Assign) or not stored(one) & used:
            continue
        for name, line in swapped.items():
            if f"{name}.shape" in ast.unparse(one.value) and one.lineno < line:
                return f"Line {one.lineno} reads the shape before line {line} swaps axes."
    return ""


def sized(comparison: Comparison, node: int) -> str:
    """Which two sizes a reshape swaps, if the other way round it gives what the reference has."""
    mine = comparison.mine
    values = mine.values(node) if operation(mine.nodes[node]) == "reshape" else ()
    array = mine.arrays[values[-1]] if values else None
    if array is None or array.ndim < 2 or comparison.known(values[-1]):
        return ""
    for i, j in combinations(range(array.ndim), 2):
        shape = list(array.shape)
        shape[i], shape[j] = shape[j], shape[i]
        if shape[i] == shape[j] or not any(map(comparison.has, _uses(array.reshape(shape)))):
            continue
        a, b = array.shape[i], array.shape[j]
        return f"With the sizes {a} and {b} in the other order it would be right."
    return ""


def _uses(array: Floats) -> Iterator[Floats]:
    """A reshaped array, and what is made of one next: swapped, or one of its pieces."""
    yield array
    if array.ndim > 2:
        yield array.swapaxes(-3, -2)
    yield array[..., 0]


def unsummed(mine: Floats, right: Floats) -> bool:
    """Whether each row is a multiple of a row of weights, which sum to 1."""
    if mine.shape != right.shape or mine.ndim < 2 or not np.isfinite(mine).all():
        return False
    sums = mine.sum(axis=-1, keepdims=True)
    if np.abs(sums).min(initial=1.0) < ATOL or not np.allclose(right.sum(axis=-1), 1.0):
        return False
    return same(mine / sums, right)
