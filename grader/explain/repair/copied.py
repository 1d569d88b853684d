"""Edits that hang together in several places: a statement copied, a name changed throughout."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.around import own
from grader.explain.repair.maker import Maker
from grader.explain.repair.text import Change, Edit, of_kind
from grader.explain.repair.words import nearest, unlike
from grader.source.variables import read, stores

MOST = 3
"""Names that a statement is copied for, or that one becomes."""


class Copied(Maker):
    """A statement once more, with another name; or another name wherever one is used."""

    def of(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of one statement."""
        match node:
            case ast.Assign(targets=[ast.Name() as target]):
                yield from self._for_another(node, target)
                yield from self._throughout(node, target)
            case ast.Assign(targets=[ast.Attribute() as target]) if own(target):
                yield from self._everywhere(node, target)
        match node:
            case ast.Assign(value=ast.Name() | ast.Attribute() as value):
                yield from self._made_alike(node, value)
        yield from self._with_unread(node)

    @of_kind("copied")
    def _for_another(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        """What changes one variable, done to another that was made together with it."""
        if target.id not in read(node.value):
            return
        at = self.mine.start((node.end_lineno or 0) + 1)
        block = self.mine.block(node)
        after = next((one for one in block if one.lineno > node.lineno), node)
        for name in self.words.around.beside(target)[:MOST]:
            text = self._copy(node, target.id, name)
            if text.strip() not in self.mine.source:
                yield Edit((Change(at, at, text),), after.lineno, 0)

    @of_kind("copied")
    def _with_unread(self, node: ast.stmt) -> Iterator[Edit]:
        """A statement of the same block again, before this one, with a part that nothing uses."""
        names = self.words.around.unread(node)
        at, function = self.mine.start(node.lineno), self.mine.around(node)
        if function is None or not names or len(names) > MOST:
            return
        for other in self.mine.block(node):
            match other:
                case ast.Assign(value=ast.Call(func=ast.Attribute() as part)) if own(part):
                    for name in names if other.lineno < node.lineno else ():
                        if self._made(name) == self._made(self.mine.of(part)) != "":
                            text = self._copy(other, self.mine.of(part), name)
                            yield Edit((Change(at, at, text),), node.lineno, 0)

    @of_kind("copied")
    def _made_alike(self, node: ast.Assign, value: ast.expr) -> Iterator[Edit]:
        """What another name is given made once more, in place of that itself."""
        for other in self.mine.block(node):
            match other:
                case ast.Assign(targets=[target], value=ast.Call() as made):
                    if self.mine.of(target) == self.mine.of(value):
                        yield from self.put(value, self.mine.of(made))

    def _made(self, attribute: str) -> str:
        """The class of which a part of the object itself is made; empty if it is of none."""
        for node in self.mine.nodes:
            match node:
                case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call(func=func)):
                    if self.mine.of(target) == attribute:
                        return self.mine.of(func)
        return ""

    def _copy(self, node: ast.stmt, old: str, new: str) -> str:
        """The lines of a statement with another variable or part."""
        start, end = self.mine.start(node.lineno), self.mine.start((node.end_lineno or 0) + 1)
        pieces, at = [], start
        same = (one for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute))
        for first, last in sorted(self.mine.span(one) for one in same if self.mine.of(one) == old):
            pieces += [self.mine.data[at:first].decode(), new]
            at = last
        text = "".join([*pieces, self.mine.data[at:end].decode()])
        return text if text.endswith("\n") else f"{text}\n"

    @of_kind("renamed")
    def _throughout(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        """A variable of a loop under the name of what it is made of, wherever it is used."""
        function = self.mine.around(node)
        if function is None or not self.mine.in_loop(node):
            return
        if sum(one.id == target.id for one in stores(function)) > 1:
            return
        every = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
        used = [one for one in every if one.id == target.id]
        for name in sorted(read(node.value) & set(self.words.around.variables(node)))[:MOST]:
            changes = tuple(sorted(Change(*self.mine.span(one), name) for one in used))
            yield Edit(changes, node.lineno, 0)

    @of_kind("renamed")
    def _everywhere(self, node: ast.Assign, target: ast.Attribute) -> Iterator[Edit]:
        """An attribute under a name that the reference has and the program lacks, everywhere."""
        theirs = self.words.theirs
        lacking = [one for one in sorted(theirs) if not self.words.around.defines(one)]
        if target.attr in theirs or not lacking:
            return
        every = [one for one in self.mine.nodes if isinstance(one, ast.Attribute) and own(one)]
        spans = [self.mine.span(one) for one in every if one.attr == target.attr]
        size = len(target.attr.encode())
        near = nearest(target.attr, lacking)
        for name in dict.fromkeys([*near, *lacking][:MOST]):
            changes = tuple(sorted(Change(end - size, end, name) for _, end in spans))
            yield Edit(changes, node.lineno, min(4, unlike(target.attr, name)))
