"""Where a program leaves the path whose result is no tensor: a number that it chooses, or a text.

Its numbers come from tensors and arrays, and those are followed.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from grader.base.model import Trace
from grader.grading.following.differs import MOST_TEXT
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
        return self.teller.trace((*told,), line)

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
            if (found := self._made_of(mine.numbers[value], most - 1)) is not None:
                return found
        return node if mine.feeding(node) else None

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
        return teller.departed(result, None)


def _returns(block: ast.If) -> bool:
    """Whether a condition ends a function."""
    return isinstance(block.body[-1], ast.Return)
