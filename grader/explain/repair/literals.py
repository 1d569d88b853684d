"""Edits of what is written down: numbers, texts, ``True`` and ``None``."""

from __future__ import annotations

import ast
import difflib
import math
from collections.abc import Iterator

from grader.explain.repair.edits import Edit, of_kind
from grader.explain.repair.maker import Maker
from grader.explain.repair.vocabulary import SMALL, unlike

LARGE, LARGE_MORE = 64, 4
"""Numbers above the first are seldom wrong by one."""
AXES = (-1, -2, -3, 0, 1, 2, 3)
SIGNED = {"inf": "-inf", "-inf": "inf"}
"""Texts that are numbers, and their opposites."""
MOST_TEXTS = 3
"""Other texts that are tried in place of one."""
ALIKE = 0.6
"""How much they have in common with it, from 0 to 1."""


class Literals(Maker):
    """Edits of constants."""

    @of_kind("constant")
    def of(self, node: ast.Constant) -> Iterator[Edit]:
        """Another value of the same kind, or a variable in its place."""
        value = node.value
        outer = self.mine.parents.get(node)
        if self.raised and isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult):
            yield from self.put(node, f"[{self.mine.of(node)}]")
            yield from self.put(node, f"({self.mine.of(node)},)")
        if isinstance(value, bool):
            yield from self.put(node, str(not value))
        elif isinstance(value, int):
            yield from self._whole(node, value)
        elif isinstance(value, float | complex):
            yield from self._negated(node)
            yield from self._fraction(node, value)
        elif isinstance(value, str):
            yield from self._text(node, value)
        if isinstance(value, float) or (type(value) is int and value > SMALL):
            for text in self.words.numbers:
                yield from self.put(node, text, 3)

    @of_kind("number")
    def _whole(self, node: ast.Constant, value: int) -> Iterator[Edit]:
        outer = self.mine.parents.get(node)
        whole = outer if isinstance(outer, ast.UnaryOp) else node
        old = -value if isinstance(outer, ast.UnaryOp) else value
        idle = _idle(self.mine.parents.get(whole))
        inside = isinstance(self.mine.parents.get(whole), ast.BinOp)
        others = [-old, *AXES, old - 1, old + 1]
        if inside:
            others = [2 * old, old - 1, old + 1, -old]
        if self._listed(whole):
            others = []
        for other in dict.fromkeys(others):
            if other not in (old, idle):
                far = LARGE_MORE if old > LARGE else min(20, abs(other - old) // 2)
                yield from self.put(whole, str(other), far)

    @of_kind("sign")
    def _negated(self, node: ast.Constant) -> Iterator[Edit]:
        outer = self.mine.parents.get(node)
        if isinstance(outer, ast.UnaryOp):
            yield from self.put(outer, self.mine.of(node))
        elif node.value:
            yield from self.put(node, f"-{self.mine.of(node)}")
        if isinstance(node.value, float) and node.value.is_integer() and node.value < SMALL:
            yield from self.put(node, str(2 * node.value))

    @of_kind("number")
    def _fraction(self, node: ast.Constant, value: float | complex) -> Iterator[Edit]:
        """One more or less, twice or half as much."""
        if isinstance(value, complex):
            return
        for other in dict.fromkeys((value - 1, value + 1, value / 2, 2 * value)):
            if other not in (0, value) and math.isfinite(other):
                yield from self.put(node, f"{other:g}" if other % 1 else f"{other:.1f}", 1)

    @of_kind("text")
    def _text(self, node: ast.Constant, value: str) -> Iterator[Edit]:
        """A text that is said elsewhere, or what a text says without its quotation marks."""
        if value in SIGNED:
            yield from self.put(node, f'"{SIGNED[value]}"')
        if "{" in value and self.raised:
            yield from self.put(node, f"f{self.mine.of(node)}")
        outer = self.mine.parents.get(node)
        if self.raised and isinstance(outer, ast.Subscript) and outer.slice is node:
            for key in self.words.keys:
                if key != value:
                    yield from self.put(node, _quoted(key), unlike(value, key))
            for turn in self.words.around.turns(node):
                yield from self.put(node, turn)
        others = [one for one in self.words.texts if one != value]
        near = difflib.get_close_matches(value, others, MOST_TEXTS, ALIKE)
        lacking = self.words.lacking if value.isidentifier() else []
        for text in dict.fromkeys([*near, *lacking]):
            yield from self.put(node, _quoted(text), unlike(value, text))
        if value.strip() and "\n" not in value and len(value) < LARGE:
            try:
                plain = ast.literal_eval(value)
            except (SyntaxError, ValueError):
                return
            yield from self.put(node, repr(plain))

    def _listed(self, node: ast.expr) -> bool:
        """Whether a number is among others in a list: their order may be wrong."""
        outer = self.mine.parents.get(node)
        index = isinstance(self.mine.parents.get(outer), ast.Subscript) if outer else False
        return (
            not index
            and isinstance(outer, ast.List | ast.Tuple)
            and all(isinstance(one, ast.Constant | ast.UnaryOp) for one in outer.elts)
        )


def _quoted(text: str) -> str:
    """A text as a program writes it down."""
    return repr(text).replace("'", '"')


def _idle(outer: ast.AST | None) -> int | None:
    """The number that changes nothing as a part of an operation."""
    if not isinstance(outer, ast.BinOp):
        return None
    return 0 if isinstance(outer.op, ast.Add | ast.Sub) else 1
