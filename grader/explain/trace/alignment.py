"""Where the numbers of a program leave the path of the reference.

The learner's program and the step's solution run on the same inputs, and every expression of both
tells its value. A value that the reference has too is *known*. Walking back from a wrong result
through values that are not known ends at expressions that make something unknown from known things
only: there the path is left. It comes from the learner's process: it explains, and never decides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.explain.trace.closeness import Floats, same, single
from grader.explain.trace.relations import BY_HAND, Relation, Values, mask_by_hand
from grader.explain.trace.run import Run, operation, question

SWAPS = ("permute", "swapaxes", "transpose")
"""Operations that change the order of axes."""

JOINS = ("concat", "concatenate")
"""Operations that put pieces side by side along an axis that they have."""

SPREADS = ("broadcast_to", "expand")
"""Operations that repeat a tensor as any operation on two would."""

NEAR, MOST = 1e-5, 0.5
"""How far a number is from another one, and of how many, where they are new."""

WRAPS = ("unsqueeze", "reshape", "expand_dims")
"""Operations that may only put axes of length 1 before the others, as any operation on two does."""


@dataclass(frozen=True)
class Departure:
    """Where the path is left: an expression that makes something unknown from known things.

    ``node`` is the expression, ``value`` what it gave; ``relation`` what that is to the reference,
    if anything. ``sources`` are the known values that it was made from. Of one that ``raised`` an
    error there is no value: it is the last of the sources.
    """

    node: int
    value: int
    sources: tuple[int, ...]
    relation: Relation | None = None
    raised: bool = False


@dataclass
class Comparison:
    """The learner's run beside the reference's.

    ``proven`` names helpers that are right alone: what they make of wrong arguments is the fault
    of the line that calls them. ``plain`` means that the program is given no tensors, but lists.
    """

    mine: Run
    right: Run
    given: Sequence[npt.NDArray[Any]] = ()
    proven: frozenset[str] = frozenset()
    plain: bool = False
    _known: dict[int, int | None] = field(default_factory=dict)
    _flows: dict[int, bool] = field(default_factory=dict)
    _relations: dict[int, Relation | None] = field(default_factory=dict)

    @cached_property
    def _values(self) -> Values:
        turned = [np.asarray(one).T for one in self.given if np.ndim(one) == 2]
        return Values(self.right.arrays, [*self.given, *turned, *self.by_hand])

    @cached_property
    def by_hand(self) -> tuple[Floats, ...]:
        """What a program has on the way that writes an operation of the reference itself."""
        on_the_way = (
            one
            for made in self.right.made.values()
            if (way := BY_HAND.get(operation(self.right.nodes[made.node]))) is not None
            for source in made.sources[:1]
            if (array := self.right.arrays[source]) is not None
            for one in way(array)
        )
        arrays = (self.right.arrays[value] for value in self.right.made)
        return (*on_the_way, *(one for array in arrays for one in mask_by_hand(array)))

    def known(self, value: int) -> bool:
        """Whether the reference has this value too, or it was given."""
        return self.match(value) is not None

    def match(self, value: int) -> int | None:
        """The reference's value that is the same; -1 for one that was given."""
        if value not in self._known:
            array = self.mine.arrays[value]
            self._known[value] = None if array is None else self._values.equal(array)
            if array is not None and (
                self._kept_otherwise(value, array) or self._joined_otherwise(value, array)
            ):
                self._known[value] = None
        return self._known[value]

    def _kept_otherwise(self, value: int, array: Floats) -> bool:
        """Whether an attribute is one number throughout, and the reference's of its name is not."""
        if not array.size or np.any(array != array.flat[0]):
            return False
        names = {name for name, one in _attributes(self.mine) if one == value}
        kept = [self.right.arrays[one] for name, one in _attributes(self.right) if name in names]
        return bool(kept) and not any(one is not None and same(array, one) for one in kept)

    def _joined_otherwise(self, value: int, array: Floats) -> bool:
        """Whether pieces are joined along an axis to what the reference has in another shape."""
        match, kind = self._known[value], operation(self.mine.nodes[self.mine.made[value].node])
        other = self.right.arrays[match] if match is not None and match >= 0 else None
        return kind in JOINS and other is not None and other.ndim != array.ndim

    @cached_property
    def matched(self) -> frozenset[int | None]:
        """The reference's values that the learner's program has too."""
        return frozenset(map(self.match, self.mine.made))

    def equal(self, value: int, other: int) -> bool:
        """Whether a value of the learner has the numbers of this value of the reference."""
        one, two = self.mine.arrays[value], self.right.arrays[other]
        return one is not None and two is not None and same(one, two)

    def constant(self, value: int, other: int) -> bool:
        """Whether these hold one and the same number throughout, whatever their shapes."""
        one, two = self.mine.arrays[value], self.right.arrays[other]
        if one is None or two is None or not one.size or not two.size or self.flows(value):
            return False
        return bool(np.all(one == one.flat[0]) and np.all(two == one.flat[0]))

    def has(self, array: Floats) -> bool:
        """Whether the reference has these numbers, or they were given."""
        return self._values.equal(array) is not None

    def which(self, array: Floats) -> int | None:
        """The reference's value that has these numbers; -1 for one that was given."""
        return self._values.equal(array)

    def flows(self, value: int) -> bool:
        """Whether this comes from an input or a weight, unlike a mask made on the way."""
        if self.plain:
            return True
        if value not in self._flows:
            self._flows[value] = False  # a loop's value may come from itself
            made = self.mine.made[value]
            given = isinstance(self.mine.nodes[made.node], ast.FunctionDef)
            self._flows[value] = (
                given or self._loaded(made.node) or any(self.flows(one) for one in made.sources)
            )
        return self._flows[value]

    def _loaded(self, node: int) -> bool:
        return isinstance(self.mine.nodes[node], ast.Attribute | ast.Name)

    def relation(self, value: int) -> Relation | None:
        """What a value is to the closest of the reference's."""
        if value not in self._relations:
            array = self.mine.arrays[value]
            self._relations[value] = None if array is None else self._values.relation(array)
        return self._relations[value]

    def settled(self, value: int, *, parts: bool = True) -> bool:
        """Whether no mistake is behind this: it is known, a piece of that, or of no input."""
        if self.known(value) or not self.flows(value) or (self.plain and self._is_neutral(value)):
            return True
        if not parts:
            return False
        array = self.mine.arrays[value]
        if self.turned(value) or self._spread(value):
            return True
        relation = self.relation(value)
        if relation is None and self._wrapped(value):
            return True
        if relation is None or array is None:
            return array is not None and bool(self._values.stacked(array))
        if relation.kind == "scaled" and self._sums(value, relation.factor):
            return True
        if relation.kind == "scaled" and relation.factor == -1 and self._negated(value):
            return True
        other = self.right.arrays[relation.of]
        spread = other is not None and single(array).squeeze().shape == other.squeeze().shape
        return relation.kind == "part" or (relation.kind == "reshaped" and spread)

    def _spread(self, value: int) -> bool:
        """Whether a value only repeats what is known along new or longer axes."""
        made = self.mine.made[value]
        spreads = operation(self.mine.nodes[made.node]) in SPREADS
        right = (self.known(one) or self._wrapped(one) for one in made.sources if one != value)
        return spreads and bool(made.sources) and all(right)

    def _wrapped(self, value: int) -> bool:
        """Whether a value only has more axes of length 1 than a right one that it is made of."""
        made, array = self.mine.made[value], self.mine.arrays[value]
        if operation(self.mine.nodes[made.node]) not in WRAPS or len(made.sources) != 1:
            return False
        (source,) = made.sources
        inner = self.mine.arrays[source]
        if array is None or inner is None or array.size != inner.size:
            return False
        before = array.ndim - inner.ndim
        more = before > 0 and array.shape[before:] == inner.shape
        return more and source != value and (self.known(source) or self._wrapped(source))

    def _negated(self, value: int) -> bool:
        """Whether a step after this one turns the sign of a value again."""
        for made in self.mine.made.values():
            if value not in made.sources:
                continue
            match self.mine.nodes[made.node]:
                case ast.UnaryOp(op=ast.USub()):
                    return True
                case ast.BinOp(op=ast.Mult() | ast.Div(), left=left, right=right):
                    factors = (self.mine.held(self.mine.numbers[one]) for one in (left, right))
                    written = (one for one in (left, right) if isinstance(one, ast.UnaryOp))
                    signs = any(isinstance(one.op, ast.USub) for one in written)
                    if signs or any(one < 0 for held in factors for one in held):
                        return True
        return False

    def _sums(self, value: int, factor: float) -> bool:
        """Whether a value is a sum of as many numbers as it is times a mean of the reference."""
        made = self.mine.made[value]
        arrays = [self.mine.arrays[one] for one in made.sources]
        sizes = [size for one in arrays if one is not None for size in one.shape]
        return operation(self.mine.nodes[made.node]) == "sum" and any(
            abs(factor - size) < 1e-3 for size in sizes
        )

    def swaps(self, one: Departure) -> bool:
        """Whether a departure only swaps axes of what is right, as a way of its own may do."""
        transposed = one.relation is not None and one.relation.kind == "transposed"
        return transposed and operation(self.mine.nodes[one.node]) in SWAPS

    def rewrites(self, one: Departure) -> bool:
        """Whether a departure only gives what is right another sign, or another shape."""
        relation = one.relation
        if relation is None or not all(map(self.settled, one.sources)):
            return False
        turned = relation.kind == "scaled" and relation.factor == -1
        return turned or (relation.kind == "reshaped" and relation.factor == 1)

    def but_rewritten(self, found: tuple[Departure, ...]) -> tuple[Departure, ...]:
        """The departures that make new numbers, if all others only rewrite what is right."""
        left = tuple(one for one in found if not self.rewrites(one))
        few = 0 < len(left) < len(found)
        return left if few and all(map(self.is_new, left)) else found

    def is_new(self, one: Departure) -> bool:
        """Whether no value of the reference has most of a departure's numbers."""
        array = self.mine.arrays[one.value]
        if array is None or one.relation is not None or not array.size:
            return False
        every = [have.reshape(-1) for have in self.right.arrays if have is not None]
        numbers = np.sort(np.concatenate(every))
        numbers = numbers[np.isfinite(numbers)]
        if len(numbers) < 2 or not np.isfinite(array).all():
            return False
        at = np.clip(np.searchsorted(numbers, array.reshape(-1)), 1, len(numbers) - 1)
        apart = np.minimum(np.abs(numbers[at] - array.flat), np.abs(numbers[at - 1] - array.flat))
        return bool((apart > NEAR * np.abs(array.reshape(-1))).mean() > MOST)

    def turned(self, value: int) -> bool:
        """Whether a comparison says the opposite of one of the reference: neither is wrong."""
        array = self.mine.arrays[value]
        if array is None:
            return False
        compared = question(self.mine.nodes[self.mine.made[value].node]) is not None
        return compared and self._values.equal(1.0 - array) not in (None, -1)

    def departures(self, result: int, *, parts: bool = True) -> tuple[Departure, ...]:
        """Where the values on the way to ``result`` stop being known, in the order of the run.

        With ``parts``, a piece of a known value is taken for right.
        """
        if self.known(result):
            return ()
        found: dict[int, Departure] = {}
        todo, seen = [result], {result}
        while todo:
            value = todo.pop()
            array = self.mine.arrays[value]
            if array is None:
                continue
            made = self.mine.made[value]
            unknown = [one for one in made.sources if not self.settled(one, parts=parts)]
            unknown = unknown or [one for one in made.sources if self._is_made_of(value, one)]
            if not unknown and (made.sources or not self._is_neutral(value)):
                relation = self.relation(value)
                found[value] = Departure(made.node, value, made.sources, relation)
            todo += [one for one in unknown if one not in seen]
            seen.update(unknown)
        return tuple(sorted(found.values(), key=lambda one: self.mine.made[one.value].order))

    def _is_neutral(self, value: int) -> bool:
        """Whether this is 0, 1, 2, …, or 0 or 1 throughout: a mask begins so, not wrong there."""
        array = self.mine.arrays[value]
        if array is None or not array.size or (self.flows(value) and not self.plain):
            return False
        numbers = array.ravel()
        uniform = numbers[0] in (0, 1) and (numbers == numbers[0]).all()
        return bool(uniform or (array.ndim and np.array_equal(numbers, np.arange(array.size))))

    def is_other(self, constant: int) -> bool:
        """Whether a value that is made of no input is not the reference's."""
        array = self.mine.arrays[constant]
        known = self.flows(constant) or self.known(constant) or self._is_neutral(constant)
        return array is not None and not known

    def _is_made_of(self, value: int, constant: int) -> bool:
        """Whether a value is wrong because of a constant.

        So it is if the reference does the same with what is right, and with another constant.
        """
        if not self.is_other(constant) or not self.flows(value):
            return self.is_other(constant)
        made = self.mine.made[value]
        kind = operation(self.mine.nodes[made.node])
        taken = {self.match(one) for one in made.sources} - {None}
        return any(
            operation(self.right.nodes[one.node]) == kind
            and taken.issubset(one.sources)
            and not self.matched.issuperset(one.sources)
            for one in self.right.made.values()
        )

    def from_nothing(self, one: Departure) -> bool:
        """Whether the path is left at a value that is made of no other: a mask, a constant."""
        return not self.flows(one.value) or (self.plain and not one.sources)

    def after(self, departures: Sequence[Departure]) -> frozenset[int]:
        """The values that were made at a departure, or from what was."""
        found = {one.value for one in departures}
        for value, made in sorted(self.mine.made.items(), key=lambda one: one[1].order):
            if found.intersection(made.sources):
                found.add(value)
        return frozenset(found)


def _attributes(run: Run) -> Iterator[tuple[str, int]]:
    """The attributes that a program read, with their values."""
    for place in run.places:
        node = run.nodes[place.node]
        if isinstance(node, ast.Attribute):
            yield node.attr, place.value
