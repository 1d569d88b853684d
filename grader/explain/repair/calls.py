"""Edits of what a program does with a value: it calls it, takes a part of it, or turns it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.maker import Maker
from grader.explain.repair.text import Edit, of_kind

KINDS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.GeneratorExp)
TURNED = ("int", "len", "list", "tuple")
"""Python's functions that turn one value into another kind."""
MOST_GIVEN, MOST_OWNERS = 4, 8
"""Variables that a function is given, and attributes of which another one may be."""


class Calls(Maker):
    """Edits of values whose kind is wrong; for programs that raised an error, if not said else."""

    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of one value by itself."""
        plain = isinstance(node, KINDS)
        read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if self.raised and plain and read and self.is_handed_on(node):
            yield from self._turned(node)

    @of_kind("turned into")
    def _turned(self, node: ast.expr) -> Iterator[Edit]:
        """A value as a number, a list or a tuple, or how long it is."""
        text = self.mine.of(node)
        for name in TURNED:
            if not text.startswith(f"{name}("):
                yield from self.put(node, f"{name}({text})")
