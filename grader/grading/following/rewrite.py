"""The reference's operation in the learner's own names: what to write instead."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass

from grader.base.rewriting import Rewriter
from grader.grading.following.cause import Cause
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import callee

MOST = 120
"""Characters; more is no operation but a program."""


@dataclass(frozen=True)
class Rewrite:
    """Puts operations of the reference into the learner's words."""

    comparison: Comparison

    def of(self, cause: Cause) -> str:
        """What to write instead of the cause; empty where that cannot be said."""
        mine, right = self.comparison.mine, self.comparison.right
        last = next((p.value for p in reversed(mine.places) if p.node == cause.node), None)
        lacks = cause.want is not None and cause.want not in self.comparison.matched
        if lacks or cause.twin is None or (last is not None and self.comparison.known(last)):
            return ""
        whole = getattr(right.statement(cause.twin), "value", None)
        lines = mine.is_whole(cause.node) and isinstance(whole, ast.Call | ast.BinOp)
        called = callee(mine.nodes[cause.node])
        lines = lines and (not called or called != callee(right.nodes[cause.twin]))
        tree = whole if lines else right.nodes[cause.twin]
        if not isinstance(tree, ast.expr):
            return ""
        inner = list(right.inner(cause.twin))
        texts = {_place(right.nodes[one]): self._text(right.nodes[one], cause) for one in inner}
        put = _Put({place: text for place, text in texts.items() if text})
        written = put.visit(tree)
        if put.missing(self._names(cause.node)):
            return ""
        text = ast.unparse(written)
        same = "".join(text.split()) == "".join(ast.unparse(mine.nodes[cause.node]).split())
        return "" if same or len(text) > MOST else text

    def _text(self, node: ast.AST, cause: Cause) -> str:
        """The learner's expression that has the value of a node of the reference."""
        mine, right = self.comparison.mine, self.comparison.right
        number = right.numbers[node]
        value = next((p.value for p in reversed(right.places) if p.node == number), None)
        if value is None:
            return ""
        for own in mine.inner(cause.node):
            last = next((p.value for p in reversed(mine.places) if p.node == own), None)
            if last is not None and self.comparison.match(last) == value:
                return mine.segment(own)
        return ""

    def _names(self, node: int) -> frozenset[str]:
        """What can be named at a node of the learner's program: variables, imports, ``self.x``."""
        mine = self.comparison.mine
        function = mine.function(node)
        scope = mine.nodes[function] if function is not None else mine.nodes[0]
        found = set(dir(builtins))
        for one in ast.walk(scope):
            if isinstance(one, ast.Name):
                found.add(one.id)
            elif isinstance(one, ast.arg):
                found.add(one.arg)
        for one in mine.nodes:
            if isinstance(one, ast.alias):
                found.add((one.asname or one.name).partition(".")[0])
            elif isinstance(one, ast.FunctionDef | ast.ClassDef):
                found.add(one.name)
            elif isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
                found.add(f"{one.value.id}.{one.attr}")
        return frozenset(found)


def _place(node: ast.AST) -> tuple[int, int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0), id(type(node))


class _Put(Rewriter):
    """Replaces nodes of the reference by texts of the learner."""

    def __init__(self, texts: dict[tuple[int, int, int], str]) -> None:
        self._texts = texts
        self._own: set[str] = set()

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or what the learner wrote for it."""
        text = self._texts.get(_place(node))
        if text:
            try:
                return ast.parse(text, mode="eval").body
            except SyntaxError:
                return node
        if isinstance(node, ast.Name):
            self._own.add(node.id)
        elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("self."):
            self._own.add(ast.unparse(node))
        return super().generic_visit(node)

    def missing(self, names: frozenset[str]) -> bool:
        """Whether something is named that the learner's program does not have."""
        return not self._own <= names
