"""Edits of what a function gives back and how it is made: ``yield``, a decorator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.edits import Change, Edit, of_kind
from grader.explain.repair.maker import Maker
from grader.explain.repair.vocabulary import called


class Bodies(Maker):
    """Edits of the functions and classes of a program, and of what they return."""

    def of(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of one statement."""
        match node:
            case ast.Return(value=ast.expr() as value):
                yield from self._otherwise(node, value)
            case ast.FunctionDef(args=arguments):
                if self.raised and self._is_method(node):
                    yield from self._bound(node, arguments)
                if self.raised and node.name != "__init__":
                    yield from self._given_back(node)
            case ast.ClassDef() if self.raised:
                yield from self._decorated(node)

    @of_kind("returned")
    def _otherwise(self, node: ast.Return, value: ast.expr) -> Iterator[Edit]:
        """``yield`` in a loop, or ``raise`` of an error, for ``return``."""
        (start, _), (first, _) = self.mine.span(node), self.mine.span(value)
        if isinstance(value, ast.Call) and called(value).endswith("Error"):
            yield Edit((Change(start, first, "raise "),), node.lineno, 0)
        if self.mine.in_loop(node):
            yield Edit((Change(start, first, "yield "),), node.lineno, 4)

    @of_kind("returned")
    def _given_back(self, node: ast.FunctionDef) -> Iterator[Edit]:
        """The object itself, or the last variable, returned by what returns nothing."""
        if any(isinstance(one, ast.Return | ast.Yield) for one in ast.walk(node)):
            return
        start = self.mine.start((node.end_lineno or 0) + 1)
        indent = " " * self.mine.indent(node.body[-1])
        names = [one for one in self.words.around.variables(node.body[-1]) if one != "self"][-1:]
        for name in (*names, *(["self"] if self._is_method(node) else [])):
            text = f"{indent}return {name}\n"
            yield Edit((Change(start, start, text),), node.body[-1].lineno, 4)

    def _is_method(self, node: ast.FunctionDef) -> bool:
        return isinstance(self.mine.parents.get(node), ast.ClassDef)

    @of_kind("decorated")
    def _bound(self, node: ast.FunctionDef, arguments: ast.arguments) -> Iterator[Edit]:
        """A method that does not take ``self``: as a static one, or with it."""
        plain = [*arguments.posonlyargs, *arguments.args]
        known = {self.mine.of(one) for one in node.decorator_list}
        first = plain[0].arg if plain else ""
        if "staticmethod" in known and first == "self":
            yield from self._either(node, plain)
        if known & {"staticmethod", "classmethod"} or first in ("self", "cls"):
            return
        indent, start = " " * self.mine.indent(node), self.mine.start(node.lineno)
        if not known:
            yield Edit((Change(start, start, f"{indent}@staticmethod\n"),), node.lineno, 0)
        at = self.mine.data.index(b"(", start) + 1
        given = [*plain, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
        more = ", " if any(given) else ""
        yield Edit((Change(at, at, f"self{more}"),), node.lineno, 0)

    def _either(self, node: ast.FunctionDef, plain: list[ast.arg]) -> Iterator[Edit]:
        """A static method without ``self``, or one that is not static."""
        start, end = self.mine.span(plain[0])
        after = self.mine.span(plain[1])[0] if len(plain) > 1 else end
        yield Edit((Change(start, after, ""),), node.lineno, 0)
        for mark in node.decorator_list:
            lines = self.mine.start(mark.lineno), self.mine.start((mark.end_lineno or 0) + 1)
            if self.mine.of(mark) == "staticmethod":
                yield Edit((Change(*lines, ""),), node.lineno, 0)

    @of_kind("decorated")
    def _decorated(self, node: ast.ClassDef) -> Iterator[Edit]:
        """A class with a decorator that another class of either program has."""
        if node.decorator_list:
            return
        every = ((text, one) for text in (self.mine, self.words.right) for one in text.nodes)
        classes = ((text, one) for text, one in every if isinstance(one, ast.ClassDef))
        found = {text.of(mark) for text, one in classes for mark in one.decorator_list}
        indent, start = " " * self.mine.indent(node), self.mine.start(node.lineno)
        for mark in sorted(found):
            yield Edit((Change(start, start, f"{indent}@{mark}\n"),), node.lineno, 0)
