"""What a result would be if one value on the way to it were another, worked out from a run.

Every expression that a changed value flows into is worked out again, in the order of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grader.grading.following.evaluate import Evaluator
from grader.grading.following.relations import Floats
from grader.grading.following.run import Run

MOST_STEPS = 60
"""Expressions that are worked out again for one change."""


@dataclass(frozen=True)
class Downstream:
    """Follows changes to ``result``, a value of the run."""

    run: Run
    result: int

    @cached_property
    def path(self) -> tuple[int, ...]:
        """The values that the result is made from, in the order of the run."""
        todo, seen = [self.result], {self.result}
        while todo:
            for one in self.run.made[todo.pop()].sources:
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        return tuple(sorted(seen, key=lambda value: self.run.made[value].order))

    def before(self, order: int) -> Mapping[int, Sequence[int]]:
        """The values that each node had last, up to and with an entry of the run."""
        found: dict[int, list[int]] = {}
        last = -1
        for place in self.run.places[: order + 1]:
            fresh = place.node != last or place.part <= 0
            found[place.node] = [place.value] if fresh else [*found[place.node], place.value]
            last = place.node
        return found

    def changed(self, value: int, array: Floats) -> Floats | None:
        """The result if ``value`` were ``array``; None where that cannot be worked out.

        Without any number where an expression would raise an error: as it was, it is worked out.
        """
        new = {value: array}
        later = self.path[self.path.index(value) + 1 :]
        if len(later) > MOST_STEPS:
            return None
        for one in later:
            made = self.run.made[one]
            if not set(new).intersection(made.sources):
                continue
            known = Changed(self.run, made.order, self._before[one], made.node, new)
            given = known.value(self.run.nodes[made.node])
            if not isinstance(given, np.ndarray):
                known = Changed(self.run, made.order, self._before[one], made.node, {})
                raises = isinstance(known.value(self.run.nodes[made.node]), np.ndarray)
                return np.zeros(0) if raises else None
            new[one] = given
        return new.get(self.result)

    @cached_property
    def _before(self) -> Mapping[int, Mapping[int, Sequence[int]]]:
        return {value: self.before(self.run.made[value].order) for value in self.path}


@dataclass(frozen=True)
class Changed(Evaluator):
    """Works out the expression ``itself`` anew, from values of which some have changed."""

    itself: int
    new: Mapping[int, Floats]

    def recorded(self, node: object) -> object:
        """What an expression gave, or gives now; None for the one that is worked out."""
        number = self.run.numbers.get(node)  # type: ignore[call-overload]
        if number is None or number == self.itself:
            return None
        values = self.last.get(number, ())
        if len(values) == 1 and values[0] in self.new:
            return self.new[values[0]]
        return super().recorded(node)  # type: ignore[arg-type]
