"""Edits that put right parts into another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from grader.explain.repair.maker import Maker
from grader.explain.repair.text import Change, Edit, expressions, of_kind

MOST_ARGUMENTS = 3
"""Arguments of a call that may have been meant for the call around it."""
MOST_LEAVES = 10
"""Names of a statement of which two are exchanged."""


class Orders(Maker):
    """Edits of the order of names, and of the steps of one expression."""

    @of_kind("exchanged")
    def exchanged(self, node: ast.stmt) -> Iterator[Edit]:
        """Two different names of a statement in each other's place."""
        leaves = [one for one in expressions(node) if self._is_leaf(one)]
        for one, other in combinations(leaves, 2) if len(leaves) <= MOST_LEAVES else ():
            if self.mine.of(one) != self.mine.of(other):
                yield from self.swaps((one, other))

    @of_kind("order")
    def throughout(self, node: ast.stmt) -> Iterator[Edit]:
        """``g(f(x)), g(f(y))`` for ``f(g(x)), f(g(y))``."""
        found: dict[tuple[str, str], list[Change]] = {}
        for one in expressions(node):
            match one:
                case ast.Call(
                    func=ast.Name(id=outer), args=[ast.Call(func=ast.Name(id=inner), args=[_])]
                ):
                    names = (
                        Change(*self.mine.span(one.func), inner),
                        Change(*self.mine.span(one.args[0].func), outer),  # type: ignore[attr-defined]
                    )
                    found.setdefault((outer, inner), []).extend(names)
        for (outer, inner), changes in found.items():
            if outer != inner and len(changes) > len((outer, inner)):
                yield Edit(tuple(sorted(changes)), node.lineno, 2)

    @of_kind("order")
    def of(self, node: ast.expr) -> Iterator[Edit]:
        """A step before another that follows it: ``f(x).m()`` for ``f(x.m())``, and the reverse."""
        match node:
            case ast.Call(func=outer, args=[ast.Call(func=ast.Attribute(value=value)) as inner]):
                step = self._between(value, inner)
                if not isinstance(value, ast.Name) or self._is_value(value):
                    of = self.mine.of
                    yield from self.put(node, f"{of(outer)}({of(value)}){step}", 2)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=inner_, args=[value]) as call)):
                step = self._between(call, node)
                yield from self.put(node, f"{self.mine.of(inner_)}({self.mine.of(value)}{step})", 2)
        match node:
            case ast.Call(func=ast.expr() as outer, args=[ast.Call(func=ast.expr() as one), *_]):
                yield from self._nested(node, outer, node.args[0], one)
            case ast.Call(args=[ast.BinOp(op=ast.Add(), right=ast.Call(args=[given]) as inner)]):
                yield from self._normed(node, inner, given)

    def _nested(
        self, node: ast.Call, outer: ast.expr, inner: ast.expr, one: ast.expr
    ) -> Iterator[Edit]:
        """Two calls in each other's place, each with what else it is given."""
        if not isinstance(inner, ast.Call):
            return
        _, last = self.mine.span(node.args[0])
        rest = self.mine.data[last : self.mine.span(node)[1] - 1].decode()
        _, begin = self.mine.span(one)
        for at in inner.args[:MOST_ARGUMENTS]:
            (first, end), text = self.mine.span(at), self.mine.data
            before, after = text[begin:first].decode(), text[end:last].decode()
            called = f"{self.mine.of(outer)}({self.mine.of(at)}{rest})"
            yield from self.put(node, f"{self.mine.of(one)}{before}{called}{after}", 2)

    def _normed(self, node: ast.Call, inner: ast.Call, given: ast.expr) -> Iterator[Edit]:
        """``x + g(f(x))`` for ``f(x + g(x))``."""
        (start, _), (first, last) = self.mine.span(node.args[0]), self.mine.span(given)
        _, end = self.mine.span(inner)
        before, after = (
            self.mine.data[slice(*part)].decode() for part in ((start, first), (last, end))
        )
        text = f"{self.mine.of(node.func)}({self.mine.of(given)})"
        yield from self.put(node, f"{before}{text}{after}", 2)

    def _between(self, value: ast.expr, whole: ast.expr) -> str:
        """What is written after a value up to the end of the whole."""
        (_, start), (_, end) = self.mine.span(value), self.mine.span(whole)
        return self.mine.data[start:end].decode()

    def _is_leaf(self, node: ast.expr) -> bool:
        outer = self.mine.parents.get(node)
        if isinstance(outer, ast.Attribute) or self.is_called(node):
            return False
        owned = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        return owned or self._is_value(node)

    def _is_value(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id not in self.words.modules
