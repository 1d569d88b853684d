"""Edits of what a program does with a value: it calls it, takes a part of it, or turns it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress

from grader import frameworks
from grader.explain.repair.edits import Edit, of_kind
from grader.explain.repair.maker import Maker

KINDS = (ast.Name, ast.Call, ast.Attribute, ast.Subscript, ast.GeneratorExp)
TURNED = ("int", "len", "list", "tuple")
"""Python's functions that turn one value into another kind."""
SPELLED = -8
"""What an edit weighs less that says the same in other words."""


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
            if self.raised:
                yield from self._spelled(node)
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

    @of_kind("spelling")
    def _spelled(self, node: ast.expr) -> Iterator[Edit]:
        """What this framework calls a method that others have; as a function, or as a method."""
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        func, given = call.func, call.args
        if not isinstance(func, ast.Attribute):
            return
        module = getattr(func.value, "id", "") in self.words.modules
        of, *rest = given if module and given else [func.value, *given]
        x, args = self.mine.of(of), [self.mine.of(one) for one in rest]
        known = frameworks.current().spellings().elsewhere.get(func.attr)
        if known is not None and (of is not func.value or not module):
            with suppress(IndexError):
                text = known.format(*args, x=x, all=self._listed(rest))
                yield from self.put(node, text, SPELLED)
        if call is node and not module:
            yield from self.put(node, f"F.{func.attr}({', '.join([x, *args])})")
        elif call is node and given:
            yield from self.put(node, f"{x}.{func.attr}({', '.join(args)})")

    def _listed(self, given: Sequence[ast.expr]) -> str:
        """Arguments as one list, which the only one may be."""
        listed = len(given) == 1 and not isinstance(given[0], ast.Constant | ast.UnaryOp)
        every = ", ".join(map(self.mine.of, given))
        return every if listed else f"[{every}]"

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
