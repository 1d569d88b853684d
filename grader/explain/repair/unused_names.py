"""Edits that read what a function takes or makes, and what an object has, and nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.edits import Change, Edit, of_kind
from grader.explain.repair.maker import Maker

MOST = 3
"""Of such names; a program with more is not finished."""
SIGNS = ("+", "*", "/")
"""What a value and such a name are joined with."""


class UnusedNames(Maker):
    """Edits with a name that nothing reads."""

    @of_kind("unread")
    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Such a name in place of an expression, joined to it, given to it, or as its index."""
        names = self.words.around.unread(node)
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if stored or not names or len(names) > MOST or self.is_called(node):
            return
        text = self.mine.of(node)
        for name in names:
            if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
                yield from self.put(node, name, 1)
            if isinstance(node, ast.Name | ast.Attribute | ast.Call) and self.is_handed_on(node):
                yield from self._joined(node, text, name)
            if isinstance(node, ast.Name | ast.Call):
                yield from self.put(node, f"{text}[{name}]", 1)
                yield from self.put(node, f"{name}({text})", 3)
                yield from self.put(node, f"{text}.cast({name})", 1 if "dtype" in name else 6)
            if isinstance(node, ast.Call):
                yield from self._given(node, name)

    def _joined(self, node: ast.expr, text: str, name: str) -> Iterator[Edit]:
        for sign in SIGNS:
            first = f"({text})" if isinstance(node, ast.BinOp) and sign != "+" else text
            yield from self.put(node, f"{first} {sign} {name}", 1)

    def _given(self, node: ast.Call, name: str) -> Iterator[Edit]:
        _, end = self.mine.span(node)
        lead = ", " if node.args or node.keywords else ""
        for given in (name, f"{name.removeprefix('self.')}={name}"):
            yield Edit((Change(end - 1, end - 1, lead + given),), node.lineno, 3 + len(name))
