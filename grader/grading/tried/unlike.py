"""What the only difference of a program from the reference is, in sentences."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.base.sanitize import on_one_line
from grader.grading.tried.align import Gap, Pair, Scope
from grader.grading.tried.forms import BLOCKS, Function, code, form, same, words
from grader.grading.tried.text import Text, written

MOST_SHOWN = 80
"""Characters of code in a sentence; what is longer is described, or not said."""

SHORT = 48
"""Characters up to which what surrounds a difference is shown with it."""

MOST_STATEMENTS = 2
"""Statements at one place: more is another way to write it."""

Definition = (*Function.__args__, ast.ClassDef)
Nodes = tuple[ast.AST, ast.AST]
"""A node of the learner's program, and the reference's in its place."""


@dataclass(frozen=True)
class Lone:
    """The ``line`` of the only difference, and what it is, in sentences.

    ``lacks`` is the statement that is missing, where one is.
    """

    line: int
    told: tuple[str, ...]
    lacks: str = ""


def _alone(one: ast.stmt, other: ast.stmt, gap: Gap) -> bool:
    """Whether two statements differ by themselves: of definitions, what is inside is the same."""
    if not isinstance(one, Definition) or not isinstance(other, Definition):
        return not isinstance(one, Definition) and not isinstance(other, Definition)
    said = sum((words(each, None) for each in code(one.body)), Counter())
    return said == sum((words(each, gap.scope.names) for each in code(other.body)), Counter())


@dataclass(frozen=True)
class Telling:
    """Says what the differences of two programs are."""

    mine: Text
    right: Text

    def of(self, found: Sequence[Pair | Gap]) -> Lone | None:
        """The only difference; a statement that is elsewhere is one."""
        match found:
            case [Pair() as pair]:
                return self._pair(pair)
            case [Gap(mine=(), right=lacks) as gap] if len(lacks) <= MOST_STATEMENTS:
                return self._lacks(gap)
            case [Gap(mine=more, right=()) as gap] if len(more) <= MOST_STATEMENTS:
                own = any(isinstance(one, Definition) for one in more)
                return None if own else self._more(gap)  # what is wrong is inside
            case [Gap(mine=(one,), right=(other,)) as gap]:
                return self._pair(Pair(one, other, gap.scope)) if _alone(one, other, gap) else None
            case [Gap() as one, Gap() as other]:
                return self._moved(one, other) or self._moved(other, one)
        return None

    def _pair(self, pair: Pair) -> Lone | None:
        if isinstance(pair.mine, Definition) and isinstance(pair.right, Definition):
            name, wanted = pair.mine.name, pair.scope.names.name(pair.right.name)
            if name != wanted:
                defines = f"It defines {name} where the reference defines {wanted}."
                return Lone(pair.mine.lineno, (_only(pair.mine.lineno), defines))
        pieces = list(self._pieces(pair.mine, pair.right, pair.scope, ()))
        if not pieces:
            have, want = self._head(self.mine, pair.mine), self._wanted(pair.right, pair.scope)
            marks, others = _marks(self.mine, pair.mine), _marks(self.right, pair.right)
            if marks != others:
                have, want = f"{marks}{have}", f"{others}{want}"
            return self._lone(pair.mine.lineno, have, want)
        line = getattr(pieces[0][-1][0], "lineno", pair.mine.lineno)
        told = [self._piece(chain, pair.scope) for chain in pieces[:2]]
        said = [one for one in dict.fromkeys(told) if one]
        return Lone(line, (_only(line), *said)) if said else Lone(line, (_only(line),))

    def _pieces(
        self, mine: ast.AST, right: ast.AST, scope: Scope, outer: tuple[Nodes, ...]
    ) -> Iterator[tuple[Nodes, ...]]:
        """The smallest pieces that differ, each after those around it."""
        if same(mine, right, scope.names):
            return
        (said, parts), (wanted, others) = form(mine, None), form(right, scope.names)
        here = (*outer, (mine, right)) if isinstance(mine, ast.expr | ast.keyword) else outer
        if said == wanted and len(parts) == len(others):
            found = [
                piece
                for one, other in zip(parts, others, strict=True)
                for piece in self._pieces(one, other, scope, here)
            ]
            if found:
                yield from found
                return
        if here and here != outer:
            yield here

    def _piece(self, chain: tuple[Nodes, ...], scope: Scope) -> str:
        """What a piece is and what the reference has there, with as much around it as is short."""
        texts = [
            (on_one_line(self.mine.of(one)), on_one_line(written(self.right, other, scope.names)))
            for one, other in chain
        ]
        texts = [one for one in texts if max(map(len, one)) <= MOST_SHOWN]
        short = [one for one in texts if max(map(len, one)) <= SHORT]
        return _beside(*(short[0] if short else texts[-1])) if texts else ""

    def _lacks(self, gap: Gap) -> Lone | None:
        """Statements of the reference are missing."""
        if any(isinstance(one, Definition) for one in gap.right):
            return None
        line = self._near(gap)
        shown = self._wanted(gap.right[0], gap.scope)
        what = f": {shown}" if 0 < len(shown) <= MOST_SHOWN else self._does(gap.right[0])
        where = "Before" if self._is_before(gap) else "After"
        return Lone(
            line,
            (
                f"{where} line {line} a step of the reference is missing{what}",
                "Apart from that and from names, your file is the reference.",
            ),
            shown,
        )

    def _is_before(self, gap: Gap) -> bool:
        """Whether what follows says best where a gap is: also after a statement of many lines."""
        if gap.before is None:
            return False
        return gap.after is None or (gap.after.end_lineno or 0) > self._last(gap.after)

    def _near(self, gap: Gap) -> int:
        if gap.before is not None and self._is_before(gap):
            return gap.before.lineno
        if gap.after is not None:
            return self._last(gap.after)
        return self._last(gap.around) if isinstance(gap.around, ast.stmt) else 1

    def _last(self, node: ast.stmt) -> int:
        """Where a statement is: of a block its last line."""
        blocks = any(getattr(node, name, None) for name in BLOCKS)
        return (node.end_lineno or node.lineno) if blocks else node.lineno

    def _more(self, gap: Gap) -> Lone:
        """Statements that the reference has not."""
        line = gap.mine[0].lineno
        told = (_only(line), "The reference does without this line.")
        return Lone(line, told)

    def _moved(self, taken: Gap, put: Gap) -> Lone | None:
        """One statement stands elsewhere in the reference."""
        if len(taken.mine) != 1 or taken.right or put.mine or len(put.right) != 1:
            return None
        mine, right = taken.mine[0], put.right[0]
        if not same(mine, right, put.scope.names):
            return None
        line, told = mine.lineno, self._place(taken, put)
        return Lone(line, (_only(line), told)) if told else None

    def _place(self, taken: Gap, put: Gap) -> str:
        """Where a statement belongs."""
        inner, outer = put.around, taken.around
        it = f"In the reference line {taken.mine[0].lineno}"
        if inner is not outer and isinstance(inner, ast.For | ast.While | ast.If | ast.With):
            kind = "loop" if isinstance(inner, ast.For | ast.While) else "block"
            return f"{it} is inside the {kind} of line {inner.lineno}: indent it."
        if inner is not outer and isinstance(outer, ast.For | ast.While | ast.If | ast.With):
            kind = "loop" if isinstance(outer, ast.For | ast.While) else "block"
            return f"{it} comes after the {kind} of line {outer.lineno}: it is indented too far."
        if put.after is not None:
            return f"{it} comes right after line {self._last(put.after)}."
        if put.before is not None:
            return f"{it} comes right before line {put.before.lineno}."
        return ""

    def _lone(self, line: int, have: str, want: str) -> Lone:
        short = have and want and max(len(have), len(want)) <= MOST_SHOWN
        return Lone(line, (_only(line), _beside(have, want)) if short else (_only(line),))

    def _wanted(self, node: ast.stmt, scope: Scope) -> str:
        """A statement of the reference in the learner's names; of a block its head."""
        if isinstance(node, Definition) or getattr(node, "body", None):
            return self._head(self.right, node)
        return on_one_line(written(self.right, node, scope.names))

    def _head(self, text: Text, node: ast.stmt) -> str:
        body = getattr(node, "body", None)
        start, end = text.span(node)
        if body:
            end = min(end, text.start(body[0].lineno)) if body[0].lineno > node.lineno else end
        code = [line.partition("  #")[0] for line in text.data[start:end].decode().split("\n")]
        return on_one_line(" ".join(code)).removesuffix(":")

    def _does(self, node: ast.stmt) -> str:
        """What a long statement of the reference calls."""
        calls = [ast.unparse(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)]
        short = [one for one in calls if len(one) <= MOST_SHOWN]
        return f": it calls {short[0]}." if short else "."


def _marks(text: Text, node: ast.stmt) -> str:
    """The decorators of a definition, as they stand above it."""
    every: list[ast.expr] = getattr(node, "decorator_list", [])
    return "".join(f"@{on_one_line(text.of(one))} above " for one in every)


def _only(line: int) -> str:
    return f"Apart from names, your file differs from the reference only on line {line}."


def _beside(have: str, want: str) -> str:
    return f"It has {have} where the reference has {want}."
