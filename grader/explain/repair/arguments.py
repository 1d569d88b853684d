"""Edits of what a call is given, and of lists: arguments swapped, left out, put into a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.explain.repair.edits import Change, Edit, of_kind
from grader.explain.repair.maker import Maker


class Arguments(Maker):
    """Edits of arguments and of the items of lists."""

    def of_call(self, node: ast.Call) -> Iterator[Edit]:
        """Edits of what a call is given."""
        yield from self._swapped(node)
        if self.raised:
            yield from self._listed(node)
        for one in (*node.args, *node.keywords):
            yield from self._left_out(one, [*node.args, *node.keywords])
        yield from self._missing(node)
        if self.raised:
            yield from self._completed(node)
        yield from self._all_named(node)
        for word in node.keywords:
            yield from self._named(node, word)
            yield from self._another_value(node, word)

    @of_kind("swapped")
    def _swapped(self, node: ast.Call) -> Iterator[Edit]:
        """Two arguments swapped; of a method, also its object with what it is given."""
        yield from self.swaps([*node.args, *(one.value for one in node.keywords)])
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner), args=[ast.Name() as one]):
                if owner.id not in self.words.modules:
                    yield from self.swaps((owner, one))

    def _missing(self, node: ast.Call) -> Iterator[Edit]:
        """One argument more: what its function takes, or what is given elsewhere."""
        given = [*node.args, *(one.value for one in node.keywords)]
        for name in self.words.missing(node) if self.raised else ():
            yield from self._more(node, node.args, name)
        for name in self.words.optional(node):
            yield from self._more(node, given, f"{name}={name}")
        for text in self.words.positional(node) if not node.keywords else ():
            yield from self._more(node, node.args, text)
        for keyword in self.words.keywords(node):
            yield from self._more(node, given, keyword)

    @of_kind("items swapped")
    def of_list(self, node: ast.List | ast.Tuple) -> Iterator[Edit]:
        """Edits of a list or tuple."""
        yield from self.swaps(node.elts)
        if self.raised and isinstance(node.ctx, ast.Store):
            yield from self._unpacked(node)
        for new in self._new_items(node):
            yield from self._one_more(node.elts, new)
        for one in node.elts if len(node.elts) > 1 else ():
            yield from self._left_out(one, node.elts)
        if isinstance(node, ast.Tuple):
            yield from self._chosen(node)
        if self.raised:
            yield from self._starred(node.elts)

    @of_kind("unpacked")
    def _unpacked(self, node: ast.List | ast.Tuple) -> Iterator[Edit]:
        """Any number of items in front of the last names."""
        (start, _), count = self.mine.span(node.elts[0]), len(node.elts)
        for at in range(1, count):
            before, _ = self.mine.span(node.elts[at])
            yield Edit((Change(start, before, "*_, "),), node.lineno, 2 * abs(count - 2 - at))

    @of_kind("brackets")
    def _chosen(self, node: ast.Tuple) -> Iterator[Edit]:
        """``(a, b) if c else d`` for ``a, b if c else d``."""
        match node.elts:
            case [*first, ast.IfExp(body=body, test=test, orelse=other)] if first:
                items = ", ".join(self.mine.of(one) for one in (*first, body))
                choice = f"if {self.mine.of(test)} else {self.mine.of(other)}"
                yield from self.put(node, f"({items}) {choice}", -2)

    @of_kind("keyword value")
    def _another_value(self, node: ast.Call, one: ast.keyword) -> Iterator[Edit]:
        """What this name is given elsewhere."""
        for text in self.words.given.get(one.arg or "", ()):
            if text != self.mine.of(one.value):
                yield from self.put(one.value, text)

    @of_kind("completed")
    def _completed(self, node: ast.Call) -> Iterator[Edit]:
        """A function of the program that is handed on, with what else it takes."""
        for one in node.args:
            given = [self.words.meant(name, node) for name in (self.words.taken(one) or ())[1:]]
            if given:
                text = f"lambda one: {self.mine.of(one)}(one, {', '.join(given)})"
                yield from self.put(one, text, -len(text))

    @of_kind("keyword")
    def _named(self, node: ast.Call, one: ast.keyword) -> Iterator[Edit]:
        """Another name for what is given by name, or what that name says in its place."""
        if not one.arg:
            return
        names = self.words.keyword_names(node)
        if isinstance(one.value, ast.Name) and one.value.id not in names:
            names = [*names, one.value.id]
        for name in names:
            if one.arg != name:
                yield Edit((self._name(one, one.arg, name),), one.lineno, 3)
                alike = [it for it in self._words_on(one.lineno) if it.arg == one.arg]
                if len(alike) > 1:
                    every = tuple(self._name(it, one.arg, name) for it in alike)
                    yield Edit(every, one.lineno, 3)
        if one.arg in self.words.around.variables(node) and self.mine.of(one.value) != one.arg:
            yield from self.put(one.value, one.arg, -2)

    @of_kind("keyword")
    def _all_named(self, node: ast.Call) -> Iterator[Edit]:
        """Every name that the function does not take, as it calls what is not given, in order."""
        takes = self.words.takes.get(self.mine.of(node.func), ())
        unknown = [one for one in node.keywords if one.arg and one.arg not in takes]
        free = self.words.keyword_names(node)[len(node.args) :]
        if takes and 1 < len(unknown) <= len(free):
            pairs = zip(unknown, free, strict=False)
            every = (self._name(one, one.arg or "", name) for one, name in pairs)
            yield Edit(tuple(every), node.lineno, 3)

    def _name(self, one: ast.keyword, old: str, new: str) -> Change:
        """Another name for what is given by name."""
        start, _ = self.mine.span(one)
        return Change(start, start + len(old.encode()), new)

    def _words_on(self, line: int) -> list[ast.keyword]:
        """What is given by name on a line."""
        every = (one for one in self.mine.nodes if isinstance(one, ast.keyword))
        return sorted((one for one in every if one.lineno == line), key=lambda one: one.col_offset)

    def _new_items(self, node: ast.List | ast.Tuple) -> tuple[str, ...]:
        """What may be missing from a list: sizes of 1, an axis more, a name for what is given."""
        outer = self.mine.parents.get(node)
        if isinstance(outer, ast.Subscript):
            return ("None", ":", "...")
        if isinstance(getattr(node, "ctx", None), ast.Store):
            return ("_",) if self.raised else ()
        last = (self.mine.of(node.elts[-1]),) if node.elts else ()
        return ("1", *last) if isinstance(outer, ast.Call | ast.keyword) else ()

    @of_kind("item more")
    def _one_more(self, parts: Sequence[ast.expr], text: str) -> Iterator[Edit]:
        """One item more, at each place."""
        for one in parts:
            start, end = self.mine.span(one)
            yield Edit((Change(start, start, f"{text}, "),), one.lineno, 3)
            if one is parts[-1]:
                yield Edit((Change(end, end, f", {text}"),), one.lineno, 3)

    @of_kind("listed")
    def _listed(self, node: ast.Call) -> Iterator[Edit]:
        """Arguments in a list, or out of one."""
        for one in node.args:
            if isinstance(one, ast.GeneratorExp):
                start, end = self.mine.span(one)
                inside = self.mine.data[start + 1 : end - 1].decode()
                yield Edit((Change(start, end, f"([{inside}])"),), one.lineno, 2)
            elif not isinstance(one, ast.Starred):
                yield from self.put(one, f"[{self.mine.of(one)}]")
                start, end = self.mine.span(one)
                if isinstance(one, ast.List | ast.Tuple):
                    inside = self.mine.data[start + 1 : end - 1].decode()
                    yield Edit((Change(start, end, inside),), one.lineno, 3)
        yield from self._starred(node.args)
        last = len(node.args) - 1
        for few in {(0, 1), (0, last), (1, last)} if last > 0 else ():
            (start, _), (_, end) = (self.mine.span(node.args[at]) for at in few)
            text = f"[{self.mine.data[start:end].decode()}]"
            yield Edit((Change(start, end, text),), node.lineno, 3)

    @of_kind("starred")
    def _starred(self, parts: Sequence[ast.expr]) -> Iterator[Edit]:
        """A list or tuple among these unpacked."""
        for one in parts:
            kinds = ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.ListComp
            if isinstance(one, kinds):
                start, _ = self.mine.span(one)
                yield Edit((Change(start, start, "*"),), one.lineno, 2)
                yield Edit((Change(start, start, "**"),), one.lineno, 3)

    @of_kind("argument more")
    def _more(self, node: ast.Call, given: Sequence[ast.expr], text: str) -> Iterator[Edit]:
        """One argument more."""
        _, end = self.mine.span(given[-1] if given else node.func)
        if given:
            yield Edit((Change(end, end, f", {text}"),), node.lineno, 2 + len(text))
        else:
            _, end = self.mine.span(node)
            yield Edit((Change(end - 1, end - 1, text),), node.lineno, 2 + len(text))

    @of_kind("left out")
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
