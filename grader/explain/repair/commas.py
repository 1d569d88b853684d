"""Edits of where an argument belongs: to the call inside, to the one around it, or to neither."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.maker import Maker
from grader.explain.repair.text import Change, Edit, of_kind


class Commas(Maker):
    """Edits of commas, full stops and closing brackets in calls."""

    @of_kind("comma")
    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of one call, or of an attribute that is given to one."""
        match node:
            case ast.Call(args=args) if args:
                yield from self._further_out(node, args[-1])
                yield from self._further_in(node)
                if self.raised:
                    yield from self._called_with(node)
            case ast.Attribute(value=ast.Name(), attr=name) if self.raised:
                yield from self._apart(node, name)

    def _further_out(self, node: ast.Call, last: ast.expr) -> Iterator[Edit]:
        """``f(g(a), b)`` for ``f(g(a, b))``."""
        if not isinstance(last, ast.Call) or node.keywords:
            return
        given = [*last.args, *last.keywords]
        if len(given) > 1:
            (_, start), (moved, end) = self.mine.span(given[-2]), self.mine.span(given[-1])
            _, close = self.mine.span(last)
            text = self.mine.data[moved:end].decode()
            yield Edit((Change(start, close, f"), {text}"),), last.lineno, 3)

    def _further_in(self, node: ast.Call) -> Iterator[Edit]:
        """``f(g(a, b))`` for ``f(g(a), b)``."""
        match node.args:
            case [*_, ast.Call(args=[_, *_]) as inner, last] if not node.keywords:
                _, close = self.mine.span(inner)
                start, end = self.mine.span(last)
                changes = Change(close - 1, close, ", "), Change(close, start, "")
                yield Edit((*changes, Change(end, end, ")")), last.lineno, 3)

    def _called_with(self, node: ast.Call) -> Iterator[Edit]:
        """``f(g(x))`` for ``f(g, x)``."""
        for one, other in zip(node.args, node.args[1:], strict=False):
            if isinstance(one, ast.Name | ast.Attribute):
                (_, start), (first, end) = self.mine.span(one), self.mine.span(other)
                yield Edit((Change(start, first, "("), Change(end, end, ")")), one.lineno, 5)

    def _apart(self, node: ast.Attribute, name: str) -> Iterator[Edit]:
        """``f(a, b)`` for ``f(a.b)``."""
        outer = self.mine.parents.get(node)
        given = isinstance(outer, ast.Call) and node in outer.args
        if given and name in self.words.around.variables(node):
            (_, start), (_, end) = self.mine.span(node.value), self.mine.span(node)
            yield Edit((Change(start, end, f", {name}"),), node.lineno, 1)
