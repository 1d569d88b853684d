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
        if plain and read and not self.is_called(node):
            yield from self._called(node)
        if self.raised and getattr(self.mine.parents.get(node), "iter", None) is node:
            yield from self._counted(node)

    @of_kind("called")
    def _called(self, node: ast.expr) -> Iterator[Edit]:
        """A call of a function or a class that is only named, with what it takes."""
        name = getattr(node, "attr", getattr(node, "id", ""))
        taken = self.words.taken(node)
        if taken is not None or (name[:1].isupper() and not name.isupper()):
            given = ", ".join(self.words.meant(one, node) for one in taken or ())
            yield from self.put(node, f"{self.mine.of(node)}({given})", -len(given))

    @of_kind("range")
    def _counted(self, node: ast.expr) -> Iterator[Edit]:
        """A loop over as many numbers as a value says, or as it has items."""
        for text in ("range({})", "range(len({}))"):
            yield from self.put(node, text.format(self.mine.of(node)))

    @of_kind("turned into")
    def _turned(self, node: ast.expr) -> Iterator[Edit]:
        """A value as a number, a list or a tuple, or how long it is."""
        text = self.mine.of(node)
        for name in TURNED:
            if not text.startswith(f"{name}("):
                yield from self.put(node, f"{name}({text})")
