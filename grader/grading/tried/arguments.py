"""Edits of what a call is given, and of lists: arguments swapped, left out, put into a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.grading.tried.maker import Maker
from grader.grading.tried.text import Change, Edit


class Arguments(Maker):
    """Edits of arguments and of the items of lists."""

    def of_call(self, node: ast.Call) -> Iterator[Edit]:
        """Edits of what a call is given."""
        yield from self.swaps(node.args)
        if self.raised:
            yield from self._listed(node)
        given = [*node.args, *(one.value for one in node.keywords)]
        for one in (*node.args, *node.keywords):
            yield from self._left_out(one, [*node.args, *node.keywords])
        for name in self.words.missing(node) if self.raised else ():
            yield from self._more(node, node.args, name)
        for keyword in self.words.keywords(node):
            yield from self._more(node, given, keyword)
        for one in node.keywords:
            for name in self.words.keyword_names(node):
                start, _ = self.mine.span(one)
                end = start + len((one.arg or "").encode())
                if one.arg and one.arg != name:
                    yield Edit((Change(start, end, name),), one.lineno, 3)

    def of_list(self, node: ast.List | ast.Tuple) -> Iterator[Edit]:
        """Edits of a list or tuple."""
        yield from self.swaps(node.elts)
        if self.raised:
            yield from self._starred(node.elts)
            yield from self._other_brackets(node)

    def _listed(self, node: ast.Call) -> Iterator[Edit]:
        """Arguments in a list, or out of one."""
        for one in node.args:
            if not isinstance(one, ast.Starred):
                yield from self.put(one, f"[{self.mine.of(one)}]")
                start, end = self.mine.span(one)
                if isinstance(one, ast.List | ast.Tuple):
                    inside = self.mine.data[start + 1 : end - 1].decode()
                    yield Edit((Change(start, end, inside),), one.lineno, 3)
        yield from self._starred(node.args)
        if len(node.args) > 1:
            (start, _), (_, end) = self.mine.span(node.args[0]), self.mine.span(node.args[-1])
            text = f"[{self.mine.data[start:end].decode()}]"
            yield Edit((Change(start, end, text),), node.lineno, 3)

    def _other_brackets(self, node: ast.List | ast.Tuple) -> Iterator[Edit]:
        """A list for a tuple, or the reverse."""
        text = self.mine.of(node)
        if text[:1] == "[":
            yield from self.put(node, f"({text[1:-1]}{',' * (len(node.elts) == 1)})", 1)
        elif text[:1] == "(":
            yield from self.put(node, f"[{text[1:-1].rstrip(',')}]", 1)

    def _starred(self, parts: Sequence[ast.expr]) -> Iterator[Edit]:
        """A list or tuple among these unpacked."""
        for one in parts:
            if isinstance(one, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
                start, _ = self.mine.span(one)
                yield Edit((Change(start, start, "*"),), one.lineno, 2)

    def _more(self, node: ast.Call, given: Sequence[ast.expr], text: str) -> Iterator[Edit]:
        """One argument more."""
        _, end = self.mine.span(given[-1] if given else node.func)
        if given:
            yield Edit((Change(end, end, f", {text}"),), node.lineno, 2 + len(text))
        else:
            _, end = self.mine.span(node)
            yield Edit((Change(end - 1, end - 1, text),), node.lineno, 2 + len(text))

    def _left_out(self, one: ast.AST, every: Sequence[ast.AST]) -> Iterator[Edit]:
        """An argument left out, with its comma."""
        spans = [self.mine.span(other) for other in every]
        at = [other is one for other in every].index(True)
        start, end = spans[at]
        if at + 1 < len(every):
            end = spans[at + 1][0]
        elif at:
            start = spans[at - 1][1]
        yield Edit((Change(start, end, ""),), one.lineno, 2 + end - start)  # type: ignore[attr-defined]
