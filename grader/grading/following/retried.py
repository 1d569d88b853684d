"""The one small change that would make a value right, worked out from the values of a run.

Where a program has a value that the reference lacks, the expression that made it is varied: another
axis, operator, order or function, another variable, other brackets. If one of these gives a value
which the reference has and the program lacks, that is the line to change, and what to write.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from grader.grading.following.downstream import Changed, Downstream
from grader.grading.following.evaluate import Evaluator
from grader.grading.following.relations import Floats, canonical, same
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison
from grader.grading.following.variations import MOST_AXES, Variable, inner_operands, variations

MOST = 1_500
"""Expressions that are worked out for one program."""
MOST_ONWARD = 200
"""Of which as many are followed to the result."""
MOST_TEXT = 70
"""Characters of an expression that is quoted in a sentence."""
MOST_NAMES = 12
"""Variables that are tried in place of one."""
FEWEST = 3
"""Different numbers that a value must hold: two are equal by chance."""
FEW, MANY = 8, 16
"""Numbers of which two different ones are enough, as in a mask: where nothing came out, or did."""

SHAPERS = ("concat", "concatenate", "expand_dims", "reshape", "squeeze", "stack", "unsqueeze")
"""Operations that nobody writes for the numbers alone: what they give is to have the shape too."""

BEGUN = 2
"""Steps of an operation that a program has, at the least, which writes it itself."""


@dataclass(frozen=True)
class Change:
    """Expression ``new`` in place of ``node`` gives ``value`` of the reference; None: several.

    ``renames`` says that it only takes another variable: that one may have the wrong name.
    ``onward`` says that it is the result at the end that is ``value`` then, and ``around`` that it
    is an expression around it; ``turned`` that its last call swaps axes of what is new.
    """

    node: int
    new: ast.expr
    value: int | None
    renames: bool = False
    onward: bool = False
    around: bool = False
    turned: bool = False

    @property
    def text(self) -> str:
        """What to write; of a long call of a method only that."""
        text = ast.unparse(self.new)
        func = self.new.func if isinstance(self.new, ast.Call) else None
        if self.turned and isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call):
            func = func.value.func
        if len(text) > MOST_TEXT and isinstance(func, ast.Attribute):
            return text.removeprefix(ast.unparse(func.value))
        return text


class Gives(NamedTuple):
    """What of the reference a variation gives, if that is one value: itself, or what is around."""

    value: int | None
    around: bool


@dataclass(frozen=True)
class Retried:
    """Looks for the change in one comparison."""

    comparison: Comparison

    def found(self, results: Sequence[int], error: int | None = None) -> Change | None:
        """The first change that gives a value which is lacking, and that explains all ``results``.

        ``error`` is a node that raised one; without results only that is looked at.
        """
        mine, last = self.comparison.mine, dict[int, list[int]]()
        left = MOST
        seen: set[int] = set()
        before = -1
        for order, place in enumerate(mine.places):
            fresh = place.node != before or place.part <= 0
            last[place.node] = [place.value] if fresh else [*last[place.node], place.value]
            before = place.node
            done = not results or place.part >= 0 or place.node in seen
            if done or self._is_right(place.value):
                continue
            seen.add(place.node)
            known = Evaluator(mine, order, last)
            found, left = self._varied(place.node, known, left)
            if (
                found is not None
                and self._explains(found, results)
                and self._fits(found)
                and self._leads_on(found, place.value, known, results)
                and self._mends(found, place.value, known, results, error)
            ):
                return found
            if left <= 0:
                return None
        if error is None:
            return self._downstream(results, left)
        found, left = self._varied(error, Evaluator(mine, len(mine.places), last), left)
        return found

    def lacks(self, new: ast.AST) -> bool:
        """Whether an expression, at the end of the run, gives what the program lacks."""
        array = self._whole.value(new)
        return isinstance(array, np.ndarray) and self._lacking(array) is not None

    def _leads_on(
        self, change: Change, value: int, known: Evaluator, results: Sequence[int]
    ) -> bool:
        """Whether a change leads to a result of the reference; it may, where that is not known.

        Of one in a loop, where that changes every turn, only whether turns still differ.
        """
        if len(self.comparison.mine.values(change.node)) > 1:
            return True
        array = known.value(change.new)
        onward = self._after(results[0])
        if not isinstance(array, np.ndarray) or value not in onward.path:
            return True
        result = onward.changed(value, array)
        return result is None or (result.size > 0 and self.comparison.has(result))

    def _after(self, result: int) -> Downstream:
        """What follows changes to a result: what it needs is looked up once."""
        return self._followed.setdefault(result, Downstream(self.comparison.mine, result))

    @cached_property
    def _followed(self) -> MutableMapping[int, Downstream]:
        return {}

    def _mends(
        self,
        change: Change,
        value: int,
        known: Evaluator,
        results: Sequence[int],
        error: int | None,
    ) -> bool:
        """Whether an operation of two that raised an error works after a change before it."""
        mine, array = self.comparison.mine, known.value(change.new)
        onward = self._after(results[0])
        if (
            error is None
            or not isinstance(mine.nodes[error], ast.BinOp)
            or value not in onward.path
        ):
            return True
        given = onward.changed(value, array) if isinstance(array, np.ndarray) else None
        if given is None:
            return True
        after = Changed(mine, len(mine.places), self._whole.last, -1, {results[0]: given})
        return isinstance(after.value(mine.nodes[error]), np.ndarray)

    def _onward(self, onward: Downstream) -> Iterator[tuple[int, int, ast.expr, Floats]]:
        """The variations of what a value is made from: value, node, expression, and its array."""
        mine = self.comparison.mine
        for value in onward.path:
            made = mine.made[value]
            if self._is_right(value) or not isinstance(mine.nodes[made.node], ast.expr):
                continue
            known = Changed(mine, made.order, onward.before(made.order), -1, {})
            node = mine.nodes[made.node]
            without = _less(node, known) if isinstance(node, ast.BinOp) else ()
            names = self._names(made.node, known)
            for new in chain(without, variations(node, known, names)):
                array = known.value(new)
                if isinstance(array, np.ndarray) and not self._is_idle(new, array, known):
                    yield value, made.node, new, array

    def _downstream(self, results: Sequence[int], left: int) -> Change | None:
        """The change after which the result is the reference's, worked out to the end."""
        mine = self.comparison.mine
        array = mine.arrays[results[0]] if len(results) == 1 else None
        if array is None or (self._is_right(results[0]) and np.any(array != array.flat[0])):
            return None  # that of one number is right by chance
        onward = self._after(results[0])
        for value, node, new, array in islice(self._onward(onward), min(left, MOST_ONWARD)):
            result = onward.changed(value, array)
            found = None if result is None else self._lacking(result, but=self._used)
            if found is not None and result is not None and self._has_shape(result, found):
                return Change(node, new, found, onward=True)
        return None

    def _explains(self, change: Change, results: Sequence[int]) -> bool:
        """Whether all that is wrong about the results comes through the change."""
        mine, compared = self.comparison.mine, self.comparison
        inner = {mine.numbers[one] for one in ast.walk(mine.nodes[change.node])}
        every = (compared.but_rewritten(compared.departures(result)) for result in results)
        wrong = {one.value for found in every for one in found}
        wrong -= {value for value in wrong if mine.made[value].node in inner}
        made_right = all(map(self._is_right, mine.latest(change.node)))
        todo, seen = list(results), set(results)
        while todo:
            value = todo.pop()
            if mine.made[value].node == change.node:
                continue
            taken = [v for v in mine.made[value].sources if not self._is_right(v)]
            if value in wrong and (not made_right or all(map(compared.flows, taken))):
                return False  # what is wrong is made there, and not of a wrong constant
            new = [v for v in taken if v not in seen]
            todo += new
            seen.update(new)
        return True

    def _is_right(self, value: int) -> bool:
        return self.comparison.known(value) or self.comparison.turned(value)

    def _varied(self, number: int, known: Evaluator, left: int) -> tuple[Change | None, int]:
        """The variation of one expression that gives what is lacking; how many are left to try."""
        node, names = self.comparison.mine.nodes[number], self._names(number, known)
        right = all(map(self._is_right, self.comparison.mine.latest(number)))
        inner = inner_operands(node, known, names) if right else ()
        for new in chain(variations(node, known, names), inner):
            left -= 1
            if left <= 0:
                break
            array = known.value(new)
            if not isinstance(array, np.ndarray) or self._is_idle(new, array, known):
                continue
            if self._is_as_before(number, array, known):
                continue
            if found := self._helps(node, new, array, known):
                renames = _size(new) == _size(node) and _shape(new) == _shape(node)
                return Change(number, new, found.value, renames, around=found.around), left
        return None, left

    def _is_idle(self, new: ast.expr, array: Floats, known: Evaluator) -> bool:
        """Whether an operation of two gives just one of them: nobody writes it for that."""
        if not isinstance(new, ast.BinOp):
            return False
        parts = (known.value(new.left), known.value(new.right))
        return any(
            isinstance(one, np.ndarray) and one.shape == array.shape and same(one, array)
            for one in parts
        )

    def _is_as_before(self, number: int, array: Floats, known: Evaluator) -> bool:
        """Whether a variation gives what the expression itself gave: two sizes may be equal."""
        gave = [self.comparison.mine.arrays[one] for one in known.last.get(number, ())]
        return len(gave) == 1 and gave[0] is not None and same(array, gave[0])

    def _helps(self, node: ast.AST, new: ast.expr, array: Floats, known: Evaluator) -> Gives | None:
        """What of the reference a variation gives, itself or in the expression that it is in.

        None if it gives nothing that is lacking, or makes what is around it into something else.
        """
        named = isinstance(new, ast.Name | ast.Attribute)  # the program has that itself
        value = None if named else self._lacking(array)
        if value is not None and operation(new) in SHAPERS and not self._has_shape(array, value):
            return None
        itself = value is not None
        stack = value is None and self._is_stack(node, array, known)
        for outer in self._around(node, new):
            whole = known.value(outer)
            if not isinstance(whole, np.ndarray):
                continue
            around = self._lacking(whole)
            if around is None and not self.comparison.has(whole):
                return None
            value = around if value is None and not stack else value
        return Gives(value, not (itself or stack)) if stack or value is not None else None

    def _fits(self, change: Change) -> bool:
        """Whether no operation around a change would be given arrays that do not fit together."""
        for outer in self._around(self.comparison.mine.nodes[change.node], change.new):
            if isinstance(outer, ast.BinOp) and self._whole.value(outer) is None:
                given = map(self._whole.value, (outer.left, outer.right))
                return not all(isinstance(one, np.ndarray) for one in given)
        return True

    @cached_property
    def _whole(self) -> Evaluator:
        """What works out expressions as of the end of the run."""
        mine, last = self.comparison.mine, dict[int, list[int]]()
        for place in mine.places:
            last.setdefault(place.node, []).append(place.value)
        ends = {node: values[-1:] for node, values in last.items()}
        return Evaluator(mine, len(mine.places), ends)

    def _around(self, node: ast.AST, new: ast.expr) -> Iterator[ast.expr]:
        """The expressions around a node, the nearest first, with ``new`` in its place."""
        outer = self.comparison.mine.parents.get(node)
        while isinstance(outer, ast.BinOp | ast.UnaryOp | ast.Call | ast.Attribute):
            node, new = outer, _replaced(outer, node, new)
            yield new
            outer = self.comparison.mine.parents.get(node)

    def _is_stack(self, node: ast.AST, array: Floats, known: Evaluator) -> bool:
        """Whether these are values of the reference side by side, and a step further."""
        given = known.given(node) if isinstance(node, ast.Call) else []
        before = known.value(given[0]) if given else None
        if array.ndim < MOST_AXES or not isinstance(before, np.ndarray):
            return False
        now = self.comparison.stacks(array)
        return bool(now) and now != self.comparison.stacks(before)

    def _lacking(
        self, array: Floats, least: int = MANY, but: frozenset[int] = frozenset()
    ) -> int | None:
        """The value of the reference that these numbers are, if the program has it nowhere.

        Of one that holds two different numbers only, ``least`` as many. Not one of ``but``.
        """
        if array.size < FEWEST or not np.isfinite(array).any():
            return None
        plain = canonical(array).squeeze()
        if array.size < least and len(np.unique(array.round(6))) < FEWEST:
            return None
        for value, other in self._missing.items():
            if value not in but and other.shape == plain.shape and same(plain, other):
                return value
        return None

    def _has_shape(self, array: Floats, value: int) -> bool:
        """Whether these numbers of a value of the reference have its shape as well."""
        other = self.comparison.right.arrays[value] if value >= 0 else None
        return other is not None and other.shape == array.shape

    @cached_property
    def _used(self) -> frozenset[int]:
        """The values that the reference goes on with: none of them is its result."""
        made = self.comparison.right.made.values()
        return frozenset(chain.from_iterable(one.sources for one in made))

    @cached_property
    def _missing(self) -> Mapping[int, Floats]:
        right, found = self.comparison.right, dict[int, Floats]()
        for value in right.made:
            array = right.arrays[value]
            if value in self.comparison.matched or array is None:
                continue
            different = len(np.unique(array.round(6)))
            plain = len(np.unique(array[np.isfinite(array)].round(6)))
            if plain >= FEWEST or (different > 1 and array.size >= FEW):
                found[value] = array.squeeze()
        return {**found, **self._by_hand}

    @cached_property
    def _by_hand(self) -> Mapping[int, Floats]:
        """What is lacking of an operation that the program writes itself, numbered below zero."""
        mine = [one for one in self.comparison.mine.arrays if one is not None]
        every = {-2 - at: one for at, one in enumerate(self.comparison.by_hand)}
        lacks = {n: one for n, one in every.items() if not any(same(a, one) for a in mine)}
        begun = len(every) - len(lacks) >= BEGUN
        return {n: one.squeeze() for n, one in lacks.items() if one.size > FEW} if begun else {}

    def _names(self, number: int, known: Evaluator) -> list[Variable]:
        """The variables of the same function that hold tensors or numbers by now."""
        mine = self.comparison.mine
        inside = mine.function(number)
        found: dict[str, Variable] = {}
        seen, numbers = self._variables.get(inside, ({}, {}))
        for other, name in chain(seen.items(), numbers.items()):
            if other in known.last or (other in numbers and mine.held(other, known.order)):
                found[name] = mine.nodes[other]  # type: ignore[assignment]
        return list(found.values())[:MOST_NAMES]

    @cached_property
    def _variables(self) -> Mapping[int | None, tuple[Mapping[int, str], Mapping[int, str]]]:
        """The variables of each function, and the attributes of one, with their names.

        First those that held tensors, in the order in which they first did, then numbers.
        """
        mine = self.comparison.mine
        names = {number: name for name, numbers in mine.called.items() for number in numbers}
        found: dict[int | None, tuple[dict[int, str], dict[int, str]]] = {}
        for at, every in enumerate(([one.node for one in mine.places], mine.scalars)):
            for number in every:
                of = getattr(mine.nodes[number], "value", ast.Name(""))
                if number in names and isinstance(of, ast.Name):
                    inside = found.setdefault(mine.function(number), ({}, {}))
                    inside[at].setdefault(number, names[number])
        return found


def _less(node: ast.BinOp, known: Evaluator) -> Iterator[ast.expr]:
    """A difference turned round, which keeps all parts; then those that leave one out."""
    if isinstance(node.op, ast.Sub):
        yield ast.BinOp(node.right, node.op, node.left)
    yield from _without(node, known)


def _without(node: ast.BinOp, known: Evaluator) -> Iterator[ast.expr]:
    """The operands of an operation that may do without the other one.

    Nobody adds a plain number, or one and the same number everywhere, that is 0 only by chance.
    """
    for kept, left in ((node.left, node.right), (node.right, node.left)):
        other = known.value(left)
        adds = isinstance(node.op, ast.Add | ast.Sub) or np.ndim(other) > 0
        if not (adds and (other is None or bool(np.all(other == np.ravel(other)[:1])))):
            yield kept


def _size(node: ast.AST) -> int:
    return sum(1 for _ in ast.walk(node))


def _shape(node: ast.AST) -> list[str]:
    """The operations and numbers of an expression, without its variables."""
    kept = (one for one in ast.walk(node) if not isinstance(one, ast.Name | ast.expr_context))
    return [repr(one.value) if isinstance(one, ast.Constant) else operation(one) for one in kept]


def _replaced(outer: ast.expr, old: ast.AST, new: ast.expr) -> ast.expr:
    """A copy of an expression with one part replaced."""
    made = copy.copy(outer)
    for name, value in ast.iter_fields(outer):
        if value is old:
            setattr(made, name, new)
        elif isinstance(value, list):
            setattr(made, name, [new if one is old else one for one in value])
    return made
