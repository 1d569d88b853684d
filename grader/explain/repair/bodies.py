"""Edits of what a function gives back and how it is made: ``yield``, a decorator, a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from grader.explain.repair.around import own
from grader.explain.repair.maker import Maker
from grader.explain.repair.text import Change, Edit, of_kind
from grader.explain.repair.words import called
from grader.source.variables import read

MOST_VALUES = 2
"""Variables of a function of which one may be missing from what it returns."""


class Bodies(Maker):
    """Edits of the functions and classes of a program, and of what they return."""

    def of(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of one statement."""
        yield from self._crosswise(node)
        match node:
            case ast.Return(value=ast.expr() as value):
                yield from self._otherwise(node, value)
                if self.raised:
                    yield from self._more(node, value)
            case ast.FunctionDef(args=arguments):
                if self.raised:
                    yield from self._collected(arguments)
                if self.raised and self._is_method(node):
                    yield from self._bound(node, arguments)
                if self.raised and node.name != "__init__":
                    yield from self._given_back(node)
            case ast.ClassDef() if self.raised:
                yield from self._decorated(node)
            case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as value):
                if self.raised:
                    yield from self._looped(node, target, value)
                yield from self._inlined(node, target, value)

    @of_kind("crosswise")
    def _crosswise(self, node: ast.stmt) -> Iterator[Edit]:
        """What a statement and the next take of the object itself, in each other's place."""
        after = self._next(node)
        both = [self._taken(one) for one in (node, after) if one is not None]
        if len(both) == 2 and len(both[0]) == len(both[1]):
            changes = tuple(
                change
                for one, other in zip(*both, strict=True)
                if one.attr != other.attr
                for change in (
                    Change(*self.mine.span(one), self.mine.of(other)),
                    Change(*self.mine.span(other), self.mine.of(one)),
                )
            )
            if changes:
                yield Edit(tuple(sorted(changes)), node.lineno, 6)

    def _next(self, node: ast.stmt) -> ast.stmt | None:
        """The statement after one of a body."""
        block = self.mine.block(node, ("body",))
        return next((two for one, two in pairwise(block) if one is node), None)

    def _taken(self, node: ast.stmt) -> list[ast.Attribute]:
        """The attributes of the object itself that a plain statement reads."""
        if hasattr(node, "body"):
            return []
        every = (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and own(one))
        return [one for one in every if isinstance(one.ctx, ast.Load)]

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

    @of_kind("value more")
    def _more(self, node: ast.Return, value: ast.expr) -> Iterator[Edit]:
        """Another variable of the function returned, too."""
        start, end = self.mine.span(value)
        names = self.words.around.variables(node)
        for name in [one for one in names if one != self.mine.of(value)][-MOST_VALUES:]:
            yield Edit((Change(start, start, f"{name}, "),), node.lineno, 4)
            yield Edit((Change(end, end, f", {name}"),), node.lineno, 4)

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

    @of_kind("starred")
    def _collected(self, arguments: ast.arguments) -> Iterator[Edit]:
        """What is given by name collected, in place of what is given by place; and the reverse."""
        for one, other in ((arguments.vararg, "**"), (arguments.kwarg, "*")):
            if one is not None and not (arguments.vararg and arguments.kwarg):
                at, _ = self.mine.span(one)
                start = self.mine.data.rindex(b"*" if other == "**" else b"**", 0, at)
                yield Edit((Change(start, at, other),), one.lineno, 0)

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

    @of_kind("looped")
    def _looped(self, node: ast.Assign, target: ast.Name, value: ast.Call) -> Iterator[Edit]:
        """Each of several layers called, one after another, where their list is."""
        match value:
            case ast.Call(func=ast.Attribute() as layers, args=[ast.Name(id=given), *_]):
                name = "layer" if given != "layer" else "one"
                _, end = self.mine.span(layers)
                rest = self.mine.data[end : self.mine.span(value)[1]].decode()
                indent = " " * self.mine.indent(node)
                text = f"for {name} in {self.mine.of(layers)}:\n{indent}    "
                text += f"{target.id} = {name}{rest}"
                if target.id == given:
                    yield Edit((Change(*self.mine.span(node), text),), node.lineno, 4)

    @of_kind("inlined")
    def _inlined(self, node: ast.Assign, target: ast.Name, value: ast.Call) -> Iterator[Edit]:
        """A variable that keeps its value: what it would become is used in the next statement."""
        after = self._next(node)
        if after is None or hasattr(after, "body") or target.id not in read(value):
            return
        start, end = self.mine.start(node.lineno), self.mine.start((node.end_lineno or 0) + 1)
        for one in ast.walk(after):
            if isinstance(one, ast.Name) and one.id == target.id and isinstance(one.ctx, ast.Load):
                change = Change(*self.mine.span(one), self.mine.of(value))
                yield Edit((Change(start, end, ""), change), node.lineno, 6)
