"""Plain numbers that a loop works out one by one, as arrays beside those of the reference.

A table may be filled number by number. No expression of such a program gives an array, but each
gives a number in every turn, and all of these are the reference's array, row by row.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from grader.grading.following.evaluate import Evaluator
from grader.grading.following.relations import Floats, same
from grader.grading.following.trace import Comparison

FEWEST = 3
"""Different numbers that a sequence must hold: fewer are equal by chance."""


@dataclass(frozen=True)
class InTurn(Evaluator):
    """Works out expressions in every turn of a loop, from the numbers of each."""

    given_in: Mapping[int, Floats]
    turns: int

    def recorded(self, node: ast.AST) -> Any:
        """What an expression gave in every turn; one number where it never changed."""
        number = self.run.numbers.get(node)
        found = None if number is None else self.given_in.get(number)
        if found is None or np.all(found == found[0]):
            return None if found is None else float(found[0])
        return found if found.size == self.turns else None


@dataclass(frozen=True)
class Sequences:
    """The numbers of a run in the order of its turns."""

    comparison: Comparison

    @cached_property
    def found(self) -> Mapping[int, Floats]:
        """What each expression gave that gave plain numbers only."""
        scalars = self.comparison.mine.scalars.items()
        each = ((node, [one.value for one in some if one.part < 0]) for node, some in scalars)
        return {node: np.asarray(values) for node, values in each if values}

    @cached_property
    def lacking(self) -> Mapping[int, Floats]:
        """The arrays of the reference that the program has neither whole nor in turns."""
        right, matched = self.comparison.right, self.comparison.matched
        arrays = {
            value: array
            for value in right.made
            if value not in matched
            and not self.comparison.right_flows(value)
            and (array := right.arrays[value]) is not None
            and _tells(array)
        }
        own = [one for one in self.found.values() if _tells(one)]
        had = {self.match(one, arrays) for one in own}
        return {value: array for value, array in arrays.items() if value not in had}

    def match(self, array: Any, among: Mapping[int, Floats]) -> int | None:
        """The array that these numbers are, row by row or column by column; None for none."""
        if not isinstance(array, np.ndarray) or not _tells(array):
            return None
        for value, other in among.items():
            for flat in (other.ravel(), other.ravel("F")):
                if flat.size <= array.size and same(np.resize(flat, array.size), array.ravel()):
                    return value
        return None

    def wrong(self) -> Iterator[tuple[ast.expr, InTurn]]:
        """The expressions whose numbers the reference has not, and what works them out."""
        mine, right = self.comparison.mine, self.comparison.right
        arrays = {v: a for v in right.made if (a := right.arrays[v]) is not None and _tells(a)}
        for number, values in self.found.items():
            node = mine.nodes[number]
            if not isinstance(node, ast.expr) or not np.isfinite(values).all():
                continue
            if values.size >= FEWEST and self.match(values, arrays) is None:
                yield node, InTurn(mine, len(mine.places), {}, self.found, values.size)


def _tells(array: Floats) -> bool:
    """Whether there are enough different numbers to know an array by them."""
    finite = array[np.isfinite(array)]
    return len(np.unique(finite.round(6))) >= FEWEST
