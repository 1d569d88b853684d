"""Edits of whole statements: a result assigned, a statement left out, moved or shifted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.tried.maker import Maker
from grader.grading.tried.places import acts
from grader.grading.tried.text import Change, Edit
from grader.grading.tried.words import nearest, unlike


class Statements(Maker):
    """Edits of statements."""

    def of(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of a whole statement: its result assigned, itself left out, moved or shifted."""
        if isinstance(node, ast.Expr) and not acts(node.value):
            yield from self._assigned(node)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield from self._another_target(node, node.targets[0])
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from self._another_definition(node)
        yield from self._moved(node)

    def _moved(self, node: ast.stmt) -> Iterator[Edit]:
        """The statement after the next, in the loop that follows, out of its block, or gone."""
        block = self._block(node)
        at = [one is node for one in block].index(True) if block else 0
        if not block or any(one is not node and one.lineno == node.lineno for one in block):
            return
        for other in block[at + 1 : at + 2]:
            start, middle = self._lines(node)
            middle, end = self._lines(other)
            data = self.mine.data
            swapped = (data[middle:end] + data[start:middle]).decode()
            if not isinstance(other, ast.FunctionDef | ast.ClassDef) and swapped.endswith("\n"):
                yield Edit((Change(start, end, swapped),), node.lineno, 12)
            if isinstance(other, ast.For | ast.While) and not isinstance(node, ast.For | ast.While):
                yield self._into(node, other)
        start, end = self._lines(node)
        gone = "" if len(block) > 1 else f"{' ' * self.mine.indent(node)}pass\n"
        yield Edit((Change(start, end, gone),), node.lineno, 14)
        text = self.mine.data[start:end].decode()
        if at == len(block) - 1 and text.startswith("        "):
            shifted = "".join(line[4:] for line in text.splitlines(keepends=True))
            yield Edit((Change(start, end, shifted),), node.lineno, 6)

    def _into(self, node: ast.stmt, loop: ast.For | ast.While) -> Edit:
        """A statement moved into the loop that follows it."""
        start, end = self._lines(node)
        first = self.mine.start(loop.body[0].lineno)
        shift = " " * (self.mine.indent(loop.body[0]) - self.mine.indent(node))
        lines = self.mine.data[start:end].decode().splitlines(keepends=True)
        moved = "".join(shift + line for line in lines)
        return Edit((Change(start, end, ""), Change(first, first, moved)), node.lineno, 8)

    def _assigned(self, node: ast.Expr) -> Iterator[Edit]:
        """A result that is thrown away, assigned or returned."""
        start, _ = self.mine.span(node)
        names = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
        for name in dict.fromkeys(names):
            yield Edit((Change(start, start, f"{name} = "),), node.lineno, 4)
        yield Edit((Change(start, start, "return "),), node.lineno, 5)

    def _another_definition(self, node: ast.FunctionDef | ast.ClassDef) -> Iterator[Edit]:
        """A function or class under a name that the reference has and the program lacks."""
        start, _ = self.mine.span(node)
        start = self.mine.data.index(node.name.encode(), start + len("def"))
        for name in nearest(node.name, self.words.undefined(node)):
            change = Change(start, start + len(node.name.encode()), name)
            yield Edit((change,), node.lineno, 4 + unlike(node.name, name))

    def _another_target(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        start, end = self.mine.span(target)
        for name in self.words.read_after(node, target.id):
            size = 3 + unlike(target.id, name)
            yield Edit((Change(start, end, name),), node.lineno, size)
        if self.words.is_list(node, target.id):
            (first, last), text = self.mine.span(node), self.mine.of(node.value)
            change = Change(first, last, f"{target.id}.append({text})")
            yield Edit((change,), node.lineno, 4)
        itself = isinstance(node.value, ast.Name) and node.value.id == target.id
        if self.words.in_method(node) and (itself or target.id in self.words.own):
            yield Edit((Change(start, end, f"self.{target.id}"),), node.lineno, 4)
        if self.raised:
            end, _ = self.mine.span(node.value)
            yield Edit((Change(start, end, "return "),), node.lineno, 8)
            if acts(node.value):
                yield Edit((Change(start, end, ""),), node.lineno, 4)

    def _block(self, node: ast.stmt) -> list[ast.stmt]:
        outer = self.mine.parents.get(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list) and any(one is node for one in block):
                return block
        return []

    def _lines(self, node: ast.stmt) -> tuple[int, int]:
        return self.mine.start(node.lineno), self.mine.start((node.end_lineno or 0) + 1)
