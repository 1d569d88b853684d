"""Edits of one place of a program, of whatever kind: what they need to know."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.explain.repair.edits import Change, Edit, Text, bracketed
from grader.explain.repair.vocabulary import Vocabulary


@dataclass(frozen=True)
class Maker:
    """Makes edits of single places of a program, which ``raised`` an error or is wrong."""

    mine: Text
    words: Vocabulary
    raised: bool

    def put(self, node: ast.expr, text: str, weight: int = 0) -> Iterator[Edit]:
        """``text`` in place of a node, in brackets where it needs them."""
        try:
            new = ast.parse(text, mode="eval").body
        except SyntaxError:
            return
        text = bracketed(self.mine.parents.get(node), node, new, text)
        start, end = self.mine.span(node)
        size = 2 + weight + abs(end - start - len(text))
        yield Edit((Change(start, end, text),), node.lineno, size)

    def swaps(self, parts: Sequence[ast.expr]) -> Iterator[Edit]:
        """Two of these swapped."""
        for at, one in enumerate(parts):
            for other in parts[at + 1 :]:
                first, second = self.mine.span(one), self.mine.span(other)
                changes = (
                    Change(*first, self.mine.of(other)),
                    Change(*second, self.mine.of(one)),
                )
                yield Edit(changes, one.lineno, 4)

    def is_handed_on(self, node: ast.expr) -> bool:
        """Whether a value is given to a call, an operation or a statement, as a whole."""
        outer = self.mine.parents.get(node)
        given = isinstance(outer, ast.Call) and node is not outer.func
        kinds = ast.BinOp | ast.keyword | ast.Assign | ast.AugAssign | ast.Return
        return (given or isinstance(outer, kinds)) and not self.is_called(node)

    def is_called(self, node: ast.expr) -> bool:
        """Whether a node is what a call calls."""
        outer = self.mine.parents.get(node)
        return isinstance(outer, ast.Call) and outer.func is node
