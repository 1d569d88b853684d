"""What a value of a learner's program is to the reference's: the same, a multiple, a piece."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import prod
from operator import eq, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.explain.trace.closeness import ATOL, RTOL, Floats, beginning, canonical, same, single

Shape = tuple[int, ...]
Numbered = tuple[int, Floats]
"""A value of the reference, and its number."""

Known = tuple[int, Floats, float, float]
"""The same, with its first number, and how far from that one may be that is the same."""

MOST_AXES = 5
MOST_STACKED = 4
"""Values that a program keeps side by side: query, key and value, or cosine and sine."""

TINY = 1e-5

MOST_WORK = 300_000_000
"""Numbers that are compared for one program; each of the course's takes a thousandth."""
EACH = 1_000
"""What a comparison costs beside its numbers."""


class TooMuch(Exception):
    """The values of a program are too many, or too large, to look up."""


def softmax_by_hand(scores: Floats) -> tuple[Floats, ...]:
    """What a program computes on the way that writes the softmax of ``scores`` itself."""
    if not scores.size or not scores.ndim:
        return ()
    most = scores.max(axis=-1, keepdims=True)
    low, plain = np.exp(scores - most), np.exp(scores)
    less = scores - most
    sums = (one.sum(axis=-1, keepdims=True) for one in (low, plain))
    fewer = [one[..., :-1] for one in (less, low, plain)]  # without the score of a zero
    parts = (one.sum(axis=-1, keepdims=True) for one in fewer[1:])
    return most, less, low, plain, *sums, *fewer, *parts


def gelu_by_hand(x: Floats) -> tuple[Floats, ...]:
    """What a program computes on the way that writes GELU with tanh itself: 0.5·x·(1 + tanh(u))."""
    number, root = 0.044715, np.sqrt(2 / np.pi)
    cubic = [number * x, number * x**2, number * x**3, x**2, x**3]
    factors = [1 + number * x**2, root * x, root * (1 + number * x**2)]
    bent = np.tanh(root * (x + number * x**3))
    ends = [bent, 1 + bent, 0.5 * (1 + bent), 0.5 * x, x * bent]
    inner = x + number * x**3
    return *cubic, *factors, inner, root * inner, *ends


def root_by_hand(x: Floats) -> tuple[Floats, ...]:
    """What a program computes that multiplies by one over a root."""
    return (1 / np.sqrt(x),)


def mask_by_hand(array: Floats | None) -> tuple[Floats, ...]:
    """Where a mask of two numbers hides, and where it does not."""
    if array is None or array.ndim < 2 or not array.size:
        return ()
    least, most = float(np.min(array)), float(np.max(array))
    hidden = array < most
    two = least < most and (array[hidden] == least).all()
    return (hidden.astype(np.float64), (~hidden).astype(np.float64)) if two else ()


BY_HAND = {"softmax": softmax_by_hand, "gelu": gelu_by_hand, "sqrt": root_by_hand}
"""The values on the way to what an operation of the reference gives, by the operation."""


@dataclass(frozen=True)
class Relation:
    """What a value of the learner is to the value ``of`` of the reference.

    ``kind``: ``equal``; ``transposed`` with ``axes``; ``reshaped``; ``scaled`` by ``factor``;
    ``part``, the piece ``index`` of ``count`` along ``axis``.
    """

    kind: str
    of: int
    factor: float = 1.0
    axes: tuple[int, ...] = ()
    axis: int = 0
    index: int = 0
    count: int = 1

    @property
    def order(self) -> str:
        """The order of the axes in words: most often two are swapped."""
        moved = [at - len(self.axes) for at, axis in enumerate(self.axes) if axis != at]
        if len(moved) != 2:
            return f"with the axes in the order {list(self.axes)}"
        if len(self.axes) == 2:
            return "transposed: rows and columns are swapped"
        return f"with the axes {moved[0]} and {moved[1]} swapped"


class Values:
    """The values of the reference, to compare the learner's values with."""

    def __init__(
        self, values: Sequence[Floats | None], given: Sequence[npt.NDArray[Any]] = ()
    ) -> None:
        self._values = [(index, one) for index, one in enumerate(values) if one is not None]
        self._of_shape: defaultdict[Shape, list[Numbered]] = defaultdict(list)
        self._folded: defaultdict[Shape, list[Numbered]] = defaultdict(list)
        for index, one in self._values:
            self._of_shape[one.shape].append((index, one))
            if one.ndim in (3, 4) and min(one.shape[:2]) > 1:
                folded = one.reshape(-1, *one.shape[2:])
                self._folded[folded.shape].append((index, folded))
        for array in given:
            self._of_shape[array.shape].append((-1, canonical(array)))
        self._known: dict[Shape, list[Known]] = {}
        self._left = MOST_WORK

    def _spend(self, numbers: int) -> None:
        self._left -= numbers + EACH
        if self._left < 0:
            raise TooMuch

    def equal(self, mine: Floats) -> int | None:
        """The first value that is the same; -1 for a given value, None for no match.

        Batch and heads may be one axis, or texts and tokens.
        """
        for array in {id(one): one for one in (mine, single(mine))}.values():
            alike = self._alike(array.shape)
            self._spend(array.size * (1 + len(alike)))
            first = float(array.flat[0]) if array.size else 0.0
            for index, one, begins, most in alike:
                if not abs(first - begins) > most and same(array, one):
                    return index
        return None

    def _alike(self, shape: Shape) -> list[Known]:
        """The values of this shape, and how each begins."""
        if shape not in self._known:
            values = (*self._of_shape[shape], *self._folded[shape])
            self._known[shape] = [(index, one, *beginning(one)) for index, one in values]
        return self._known[shape]

    def _plain(self, shape: Shape) -> list[Known]:
        """The same, without those of which two axes are told as one."""
        return self._alike(shape)[: len(self._of_shape[shape])]

    def stacked(self, mine: Floats) -> frozenset[int]:
        """The values of the reference that this has side by side, along an axis of its own."""
        for axis, count in enumerate(mine.shape):
            if mine.ndim < 3 or not 2 <= count <= MOST_STACKED or mine.size == count:
                continue
            pieces = {self.equal(one) for one in np.moveaxis(mine, axis, 0)}
            found = frozenset(one for one in pieces if one is not None)
            if len(found) == count and None not in pieces:
                return found
        return frozenset()

    def entry(self, mine: Floats) -> int | None:
        """The first value of which this is one head, or one text."""
        for index, one in self._values:
            if one.ndim == mine.ndim + 1 and _entry(mine, one, index) is not None:
                return index
        return None

    def relation(self, mine: Floats) -> Relation | None:
        """The closest relation of ``mine`` to a value of the reference."""
        found = self.equal(mine)
        if found is not None:
            return Relation("equal", found)
        mine = single(mine)
        if mine.size <= 1 or not np.isfinite(mine).any():
            return None
        first = float(mine.flat[0])
        for look, fits, sign in LOOKS:
            for index, one, begins, most in self._fitting(mine.shape, fits):
                self._spend(mine.size if one.size == mine.size else 0)
                if sign and abs(sign * first - begins) > most:
                    continue
                if (relation := look(mine, one, index)) is not None:
                    return relation
        return None

    def _fitting(self, mine: Shape, fits: Callable[[Shape, Shape], bool]) -> list[Known]:
        """The values whose shape is one of those that a relation may be to, in their order."""
        shapes = [one for one in self._of_shape if fits(mine, one)]
        found = (one for shape in shapes for one in self._plain(shape))
        return sorted((one for one in found if one[0] >= 0 and one[1].size > 1), key=itemgetter(0))


def _negated(mine: Floats, one: Floats, index: int) -> Relation | None:
    opposite = mine.any() and bool(np.isfinite(one).all()) and same(-mine, one)
    return Relation("scaled", index, factor=-1.0) if opposite else None


def _may_be_transposed(mine: Shape, one: Shape) -> bool:
    return 2 <= len(mine) <= MOST_AXES and sorted(mine) == sorted(one)


def _transposed(mine: Floats, one: Floats, index: int) -> Relation | None:
    for axes in _orders(mine.shape, one.shape):
        if same(mine, one.transpose(axes)):
            return Relation("transposed", index, axes=axes)
    return None


@lru_cache(256)
def _orders(mine: Shape, one: Shape) -> tuple[tuple[int, ...], ...]:
    """The other orders of the axes of ``one`` in which it has the shape ``mine``."""
    every = list(permutations(range(len(mine))))[1:]
    return tuple(axes for axes in every if tuple(one[axis] for axis in axes) == mine)


def _scaled(mine: Floats, one: Floats, index: int) -> Relation | None:
    finite = np.isfinite(mine) & np.isfinite(one)
    at = np.argmax(np.where(finite, np.abs(one), 0.0))
    base = one.flat[at]
    if not finite.flat[at] or abs(base) < ATOL or not mine.flat[at]:
        return None
    factor = float(mine.flat[at] / base)
    if abs(factor) < TINY:  # what is left of a difference by rounding is a multiple of nothing
        return None
    if not same(mine, one * factor) or len(np.unique(np.round(one[finite], 6))) < 3:
        return None  # two numbers easily look scaled
    return Relation("scaled", index, factor=factor)


def _may_be_reshaped(mine: Shape, one: Shape) -> bool:
    return mine != one and prod(mine) == prod(one)


def _reshaped(mine: Floats, one: Floats, index: int) -> Relation | None:
    return Relation("reshaped", index) if same(mine.reshape(-1), one.reshape(-1)) else None


def _may_be_part(mine: Shape, one: Shape) -> bool:
    if len(mine) != len(one):
        return False
    longer = [(a, b) for a, b in zip(mine, one, strict=True) if a != b]
    return len(longer) == 1 and longer[0][0] > 0 and not longer[0][1] % longer[0][0]


def _part(mine: Floats, one: Floats, index: int) -> Relation | None:
    axis = next(a for a in range(mine.ndim) if mine.shape[a] != one.shape[a])
    count = one.shape[axis] // mine.shape[axis]
    width, before = mine.shape[axis], (slice(None),) * axis
    for number in range(count):
        if same(mine, one[*before, number * width : (number + 1) * width]):
            return Relation("part", index, axis=axis, index=number, count=count)
    return None


def _may_be_entry(mine: Shape, one: Shape) -> bool:
    return len(mine) >= 2 and 1 <= len(one) - len(mine) <= 2 and one[-1] == mine[-1]


def _entry(mine: Floats, one: Floats, index: int) -> Relation | None:
    """One head, or one text, or one head of one text: what a loop over them works on."""
    fewer = one.ndim - mine.ndim
    if not _may_be_entry(mine.shape, one.shape):
        return None
    whole = one.reshape(-1, *one.shape[2:]) if fewer == 2 else one
    for axis in range(whole.ndim - 2 if fewer == 1 else 1):
        each = np.moveaxis(whole, axis, 0)
        if each.shape[1:] != mine.shape:
            continue
        first = each.reshape(len(each), -1)[:, 0]
        near = np.flatnonzero(np.abs(first - mine.flat[0]) <= ATOL + RTOL * np.abs(first))
        for number in near[:MOST_STACKED]:
            if same(mine, each[number]):
                return Relation("part", index, axis=axis, index=int(number), count=len(each))
    return None


LOOKS = (
    (_transposed, _may_be_transposed, 1),
    (_negated, eq, -1),
    (_scaled, eq, 0),
    (_reshaped, _may_be_reshaped, 1),
    (_part, _may_be_part, 0),
    (_entry, _may_be_entry, 0),
)
"""What looks for a relation to a value of the reference, and to values of which shapes.

The first number of both is the same then, or the opposite; 0 where it may be another.
"""
