"""Where a program leaves the path whose result is no tensor: a number that it chooses, or a text.

Its numbers come from tensors and arrays, and those are followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from grader.base.model import Trace
from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.loops import fed, too_many
from grader.grading.following.omitted import wasted_number
from grader.grading.following.retried import Retried
from grader.grading.following.run import operation
from grader.grading.following.scalars import FARTHEST
from grader.grading.following.telling import Teller
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import bound
from grader.grading.reading.shown import Slip
from grader.grading.reading.texts import TURNS


@dataclass(frozen=True)
class Plainly:
    """Says where a plain result went wrong, by ``teller``."""

    teller: Teller

    @property
    def comparison(self) -> Comparison:
        """Both runs."""
        return self.teller.comparison

    def number(self, wrong: float) -> Trace:
        """Where the values on the way to a ``wrong`` plain number leave the path."""
        mine = self.comparison.mine
        if (unused := self._unused()) is not None:
            return self.teller.slipped(unused)
        node = mine.returned(wrong)
        end = None if node is None else self._made_of(node, FARTHEST)
        if node is None or end is None:
            found = self.text()
            turn = None if node is None or found.told else self._turn(node)
            return found if turn is None else self.teller.slipped(turn)
        orders = [one.order for one in mine.scalars[node] if one.value == wrong]
        for order in orders:
            sources = mine.feeding(end, order)
            lost = [one for one in sources if not self.comparison.known(one)]
            if lost and end != node and self._scaled(end, lost):
                end = node
                break
            if lost:
                return self.teller.departed(lost[0], None)
        if (slip := self.teller.slip()) is not None:
            return self.teller.slipped(slip)
        line, text = mine.line(end), mine.segment(end)
        sources = mine.feeding(end, orders[-1])
        told: list[str] = []
        if sources:
            departure = Departure(end, sources[0], sources)
            told += self.teller.wording.still_right(departure, line)
        shown = f": {text}" if len(text) <= MOST_TEXT else ""
        told.append(f"On line {line} the numbers go wrong{shown}")
        changes = (*self._compared(node, end), *self._otherwise(end))
        return self.teller.trace((*told, *changes), line)

    def _turn(self, node: int) -> Slip | None:
        """The condition on which a loop ends with the result, or with none before that."""
        mine = self.comparison.mine
        end, inside = mine.statement(node), mine.around(mine.nodes[node])
        loops = [one for one in ast.walk(inside or mine.tree) if isinstance(one, ast.For)]
        if not isinstance(end, ast.Return):
            return None
        for loop in loops:
            leaves = [one for one in loop.body if isinstance(one, ast.If) and _returns(one)]
            if len(leaves) != 1 or leaves[0].orelse:
                continue
            test = ast.unparse(leaves[0].test)
            first = f"{TURNS[0]} {loop.lineno} ends in the first turn for which {test}"
            none = f"{TURNS[1]} {loop.lineno} is this so: {test}"
            said = first if end in leaves[0].body else none
            after = end.lineno > (loop.end_lineno or loop.lineno)
            if (after or end in leaves[0].body) and len(test) <= MOST_TEXT:
                return Slip(leaves[0].lineno, f"{said}.")
        return None

    def _compared(self, node: int, end: int) -> Iterator[str]:
        """The other comparison in ``end`` with which ``node`` would give what the reference has."""
        mine, right = self.comparison.mine, self.comparison.right
        have, given = ([one.value for one in mine.scalars.get(each, ())] for each in (node, end))
        for other, numbers in right.scalars.items():
            returned = isinstance(right.parents.get(right.nodes[other]), ast.Return)
            if have == given and returned and len(numbers) == len(have):
                wanted = [one.value for one in numbers]
                change = Retried(self.comparison).compared(end, wanted)
                if change is not None:
                    old = mine.segment(change.node)
                    instead = f"With {change.text} instead of {old}"
                    yield f"{instead}, this would give what the reference has."

    def _otherwise(self, end: int) -> Iterator[str]:
        """How the call that gives the number is written in the reference, if that has one such."""
        mine, right = self.comparison.mine, self.comparison.right
        kind = operation(mine.nodes[end])
        calls = [one for one in right.nodes if isinstance(one, ast.Call) and operation(one) == kind]
        if isinstance(mine.nodes[end], ast.Call) and len(calls) == 1:
            said = self.teller.wording.written(end, right.numbers[calls[0]])
            if said:
                yield said

    def _scaled(self, end: int, lost: Sequence[int]) -> bool:
        """Whether a number is multiplied by as much as these are larger than the reference's.

        A draw times the sum of all shares falls where it does among shares that sum to 1.
        """
        for one in lost:
            relation, array = self.comparison.relation(one), self.comparison.mine.arrays[one]
            if relation is None or array is None or relation.kind != "scaled":
                return False
            if not np.isclose(array, relation.factor).any():
                return False
        return operation(self.comparison.mine.nodes[end]) == "Mult"

    def _unused(self) -> Slip | None:
        """The number that is computed and thrown away."""
        node, mine = wasted_number(self.comparison), self.comparison.mine
        if node is None:
            return None
        line, text = mine.line(node), mine.segment(node)
        what = text if len(text) <= MOST_TEXT else "a number"
        said = f"Line {line} computes {what}, and nothing uses it. Is a return missing before it?"
        return Slip(line, said)

    def _made_of(self, node: int, most: int) -> int | None:
        """The expression that made a plain number from arrays, or a wrong one from right ones."""
        mine = self.comparison.mine
        for one in ast.walk(mine.nodes[node]) if most else ():
            if not isinstance(one, ast.Name) or mine.numbers[one] not in mine.scalars:
                continue
            statement = bound(mine.tree, one.id, one.lineno)
            value = getattr(statement, "value", None)
            if value is None or statement is mine.statement(node):
                continue
            if self._is_right(mine.numbers[value]):
                return node
            if (found := self._made_of(mine.numbers[value], most - 1)) is not None:
                return found
        return node if mine.feeding(node) else None

    def _is_right(self, node: int) -> bool:
        """Whether an expression had the same plain numbers, in order, as one of the reference."""
        numbers = [one.value for one in self.comparison.mine.scalars.get(node, ())]
        others = self.comparison.right.scalars.values()
        return len(numbers) > 1 and any(numbers == [one.value for one in some] for some in others)

    def text(self) -> Trace:
        """Where the values leave the path in a program whose result they do not reach: a text.

        What counts is the first wrong value that nothing uses any more, outside of what is right
        alone.
        """
        comparison = replace(self.comparison, plain=True)
        teller = replace(self.teller, lesson=replace(self.teller.lesson, comparison=comparison))
        mine = comparison.mine
        used = {source for made in mine.made.values() for source in made.sources}
        wrong = [
            (made.order, value)
            for value, made in mine.made.items()
            if value not in used and mine.arrays[value] is not None
            if not isinstance(mine.nodes[made.node], ast.Name)  # which made nothing
            if not mine.scope(made.node) & comparison.proven and not comparison.known(value)
        ]
        if not wrong:
            slip = teller.slip()
            return teller.trace() if slip is None else teller.slipped(slip)
        result = min(wrong)[1]
        found = teller.departed(result, None)
        for departure in comparison.departures(result)[:1]:
            cause = teller.causes.of(departure)
            order = mine.made[departure.value].order + 1
            if (slip := too_many(comparison, cause.node, order)) is not None:
                return teller.slipped(slip)
            if (given := fed(comparison, cause, order)) is not None:
                return replace(found, told=(*found.told, given.said), line=given.line)
        return found


def _returns(block: ast.If) -> bool:
    """Whether a condition ends a function."""
    return isinstance(block.body[-1], ast.Return)
