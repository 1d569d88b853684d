"""Numbers that are right but for their order, or for a factor of each row: what would be right."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from grader.grading.following.relations import ATOL, Floats, same
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import SWAPS, Comparison, Departure
from grader.grading.reading.shown import Slip

PIECES = ("Subscript", "split", "chunk", "unbind")
"""Operations that give pieces of a tensor."""


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


def exchanged(comparison: Comparison, taken: Sequence[int]) -> Departure | None:
    """Where a value of the reference is made with its axes in another order, before ``taken``.

    It is made of right values, and the program has it nowhere as the reference does. None if there
    are several such places, or none.
    """
    mine, todo, seen = comparison.mine, list(taken), set(taken)
    found: dict[int, Departure] = {}
    while todo:
        value = todo.pop()
        made, relation = mine.made.get(value), comparison.relation(value)
        if made is None:
            continue
        other = relation is not None and relation.kind == "transposed"
        lacks = other and relation is not None and relation.of not in comparison.matched
        if lacks and all(map(comparison.known, made.sources)):
            found[made.node] = Departure(made.node, value, made.sources, relation)
        new = [one for one in made.sources if one not in seen]
        todo += new
        seen.update(new)
    return next(iter(found.values())) if len(found) == 1 else None


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
        found = {*map(comparison.which, _uses(array.reshape(shape)))}
        if shape[i] == shape[j] or found <= {None, *comparison.matched}:
            given = None if shape[i] == shape[j] else _folded(comparison, node, shape)
            if given is not None:
                a, b = array.shape[i], array.shape[j]
                return (
                    f"With the sizes {a} and {b} in the other order the rows of {given} would stay."
                )
            continue  # the program has that already
        if (axes := unswapped(comparison, node, array.reshape(shape))) is not None:
            said = f"A reshape cannot swap the axes {axes[0]} and {axes[1]}: it keeps the order of"
            return (
                f"{said} the numbers. Reshape with these two the other way round, then swap them."
            )
        a, b = array.shape[i], array.shape[j]
        return f"With the sizes {a} and {b} in the other order it would be right."
    return ""


def _folded(comparison: Comparison, node: int, shape: Sequence[int]) -> str | None:
    """The right value of which a reshape to this shape would only join the first axes."""
    mine, sources = comparison.mine, comparison.mine.latest(node)
    given = mine.arrays[sources[0]] if len(sources) == 1 else None
    if given is None or given.ndim < 2 or not comparison.known(sources[0]):
        return None
    owner = getattr(getattr(mine.nodes[node], "func", None), "value", None)
    stays = tuple(shape[-2:]) == given.shape[-2:]
    return owner.id if stays and isinstance(owner, ast.Name) else None


def unswapped(comparison: Comparison, node: int, array: Floats) -> tuple[int, int] | None:
    """The axes that are to be swapped once a reshape gives ``array``, and that nothing swaps.

    The reference does nothing else with these numbers than to swap their axes.
    """
    mine, right = comparison.mine, comparison.right
    one, values = comparison.which(array), mine.values(node)
    after = [value for value, made in right.made.items() if one in made.sources]
    given = right.arrays[after[0]] if after else None
    if one is None or one < 0 or given is None or not values:
        return None
    if any(operation(right.nodes[right.made[each].node]) not in SWAPS for each in after):
        return None
    users = [value for value, made in mine.made.items() if values[-1] in made.sources]
    kinds = [(operation(mine.nodes[mine.made[user].node]), user) for user in users]
    have = mine.arrays[values[-1]]
    whole = right.arrays[one]
    pairs = combinations(range(array.ndim), 2)
    for i, j in (pair for pair in pairs if whole is not None and pair[1] < whole.ndim):
        swapped = array.swapaxes(i, j)
        if swapped.shape == given.shape and same(swapped, given):
            done = (_swaps(have, mine.arrays[user], i, j) for kind, user in kinds if kind in SWAPS)
            known = any(kind == "einsum" for kind, _ in kinds) or any(done)
            return None if known else (i - array.ndim, j - array.ndim)
    return None


def _swaps(array: Floats | None, made: Floats | None, i: int, j: int) -> bool:
    """Whether what was made of an array is that with these two axes swapped."""
    return array is not None and made is not None and same(array.swapaxes(i, j), made)


def misplaced(comparison: Comparison, one: Departure) -> Slip | None:
    """The line that orders the axes of what a departure takes, where two are exchanged.

    The reference has these numbers too, but only to swap those two.
    """
    mine, right = comparison.mine, comparison.right
    if operation(mine.nodes[one.node]) in (*SWAPS, "einsum", "reshape"):
        return None
    for value in one.sources:
        match = comparison.match(value)
        users = [(v, m) for v, m in right.made.items() if match is not None and match in m.sources]
        turns = {right.nodes[m.node] for _, m in users if operation(right.nodes[m.node]) in SWAPS}
        ordered = _ordered(mine, value) or _shaped(mine, value, one.sources)
        ordered = ordered if users and len(turns) == len(users) else None
        array, given = mine.arrays[value], right.arrays[users[0][0]] if users else None
        if ordered is None or array is None or given is None or array.ndim != given.ndim:
            continue
        for i, j in combinations(range(array.ndim), 2):
            several = min(array.shape[i], array.shape[j]) > 1  # else it may be another order
            if several and same(array.swapaxes(i, j), given):
                line, axes = mine.line(ordered), f"{i - array.ndim} and {j - array.ndim}"
                own = next((o for o in _names(mine, value)), mine.segment(mine.made[value].node))
                if operation(mine.nodes[ordered]) == "reshape":
                    said = f"Nothing swaps the axes {axes} of {own} after"
                    said = f"{said} line {line}, as a transpose does in the reference."
                    return Slip(line, said)
                said = f"Line {line} orders the axes so that the axes {axes} of {own} are in each"
                return Slip(line, f"{said} other's place.")
    return None


def _ordered(mine: Run, value: int) -> int | None:
    """The node that ordered the axes of a tensor of which a value is a piece."""
    for _ in range(4):
        made = mine.made[value]
        kind = operation(mine.nodes[made.node])
        if kind in SWAPS:
            return made.node
        if kind not in PIECES or len(made.sources) != 1 or made.sources[0] == value:
            return None
        (value,) = made.sources
    return None


def _shaped(mine: Run, value: int, others: Sequence[int]) -> int | None:
    """The reshape that made a value and another of these, in turns, whose axes nothing swaps."""
    node = mine.made[value].node
    several = sum(mine.made[one].node == node for one in others) > 1
    return node if several and operation(mine.nodes[node]) == "reshape" else None


def _names(mine: Run, value: int) -> Iterator[str]:
    """The variables that hold a value."""
    for place in mine.places:
        node = mine.nodes[place.node]
        if place.value == value and isinstance(node, ast.Name):
            yield node.id


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
