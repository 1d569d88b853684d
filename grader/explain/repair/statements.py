"""Edits of whole statements: a result assigned, a statement left out, moved or shifted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from grader.explain.repair.bodies import Bodies
from grader.explain.repair.copied import Copied
from grader.explain.repair.maker import Maker
from grader.explain.repair.orders import Orders
from grader.explain.repair.text import Change, Edit, of_kind
from grader.explain.repair.words import called, nearest, unlike
from grader.source.variables import stores

ACTING = frozenset(("__init__", "append", "extend", "insert", "print", "setattr", "update"))
"""What is called for what it does, not for its result."""


class Statements(Maker):
    """Edits of statements."""

    def of(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of a whole statement: its result assigned, itself left out, moved or shifted."""
        yield from self._by_kind(node)
        yield from self._moved(node)
        if self.raised:
            yield from self._asked(node)
        yield from self._repeated(node)
        yield from self._orders.exchanged(node)
        yield from self._orders.throughout(node)
        yield from self._bodies.of(node)
        yield from self._copied.of(node)

    def _by_kind(self, node: ast.stmt) -> Iterator[Edit]:
        match node:
            case ast.Expr(value=value):
                if not acts(value):
                    yield from self._assigned(node)
                yield from self._done_with(value)
            case ast.Assign():
                yield from self._of_assignment(node)
            case ast.AnnAssign(value=None) if self.raised:
                yield from self._given_a_value(node)
            case ast.For(iter=value, target=target):
                yield from self._iterated(value, target)
            case ast.If(test=test) | ast.While(test=test):
                if isinstance(node, ast.If):
                    yield from self._chained(node)
                    yield from self._taken(node)
                yield from self._present(test)
            case ast.FunctionDef() | ast.ClassDef():
                yield from self._another_definition(node)
                if isinstance(node, ast.FunctionDef):
                    yield from self._parameters(node)

    def _of_assignment(self, node: ast.Assign) -> Iterator[Edit]:
        target = node.targets[0]
        if isinstance(target, ast.Name):
            yield from self._another_target(node, target)
            yield from self._added_up(node, target)
            if not self.raised:
                yield from self._once_more(node, target)
        if isinstance(target, ast.Tuple):
            yield from self._kept(target, node)
        if isinstance(node.value, ast.Lambda):
            yield from self._parameters(node.value)
        if len(node.targets) > 1:
            yield from self._split(node)

    @cached_property
    def _orders(self) -> Orders:
        return Orders(self.mine, self.words, self.raised)

    @cached_property
    def _bodies(self) -> Bodies:
        return Bodies(self.mine, self.words, self.raised)

    @cached_property
    def _copied(self) -> Copied:
        return Copied(self.mine, self.words, self.raised)

    @of_kind("none")
    def _present(self, test: ast.expr) -> Iterator[Edit]:
        """Whether a value is not None, in place of whether it is neither 0 nor empty."""
        if isinstance(test, ast.Name | ast.Attribute):
            yield from self.put(test, f"{self.mine.of(test)} is not None")

    @of_kind("added up")
    def _added_up(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        """A value added to a variable instead of put in its place."""
        known = any(
            one.id == target.id and one.lineno < node.lineno
            for one in stores(self.mine.around(node) or self.mine.tree)
        )
        if known and self._loops(node):
            _, end = self.mine.span(target)
            start, _ = self.mine.span(node.value)
            yield Edit((Change(end, start, " += "),), node.lineno, 3)

    @of_kind("once more")
    def _once_more(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        """What the reference makes of a value and of something of it, made of this one after it."""
        at, indent = self.mine.start((node.end_lineno or 0) + 1), " " * self.mine.indent(node)
        for before, between, after in self.words.twice:
            name = target.id
            text = f"{indent}{name} = {before}{name}{between}{name}{after}\n"
            yield Edit((Change(at, at, text),), node.lineno, 0)

    def _loops(self, node: ast.stmt) -> bool:
        """Whether a statement is in a loop."""
        outer = self.mine.parents.get(node)
        while isinstance(outer, ast.If):
            outer = self.mine.parents.get(outer)
        return isinstance(outer, ast.For | ast.While)

    @of_kind("default")
    def _given_a_value(self, node: ast.stmt) -> Iterator[Edit]:
        """A number or a constant of the module as the value of a field."""
        _, end = self.mine.span(node)
        for text in (*self.words.constants, *self.words.numbers):
            yield Edit((Change(end, end, f" = {text}"),), node.lineno, 3)

    @of_kind("asked")
    def _asked(self, node: ast.stmt) -> Iterator[Edit]:
        """A statement, or two, only where what it reads is not None, as it may be."""
        block = self.mine.block(node)
        at = [one is node for one in block].index(True) if block else 0
        start, end = self._lines(node)
        indent = " " * self.mine.indent(node)
        for name in self.words.around.may_be_none(node):
            for other in block[at : at + 2]:
                _, end = self._lines(other)
                lines = self.mine.data[start:end].decode().splitlines(keepends=True)
                text = "".join(f"    {line}" for line in lines)
                text = f"{indent}if {name} is not None:\n{text}"
                yield Edit((Change(start, end, text),), node.lineno, 4)

    @of_kind("kept")
    def _kept(self, targets: ast.Tuple, node: ast.Assign) -> Iterator[Edit]:
        """A variable that the function reads, for one that it does not."""
        for one in targets.elts:
            if isinstance(one, ast.Name) and one.id in self.words.own:
                start, _ = self.mine.span(one)
                yield Edit((Change(start, start, "self."),), node.lineno, 2)
            if isinstance(one, ast.Name) and one.id not in self.words.around.read_in(node):
                others = self.words.around.variables(node)
                for name in nearest(
                    one.id, [n for n in others if n in self.words.around.read_in(node)]
                ):
                    start, end = self.mine.span(one)
                    yield Edit((Change(start, end, name),), node.lineno, 3)

    @of_kind("parameters swapped")
    def _parameters(self, node: ast.FunctionDef | ast.Lambda) -> Iterator[Edit]:
        """Two parameters that follow each other swapped."""
        plain = [one for one in node.args.args if one.arg != "self"]
        plain = plain[: len(plain) - len(node.args.defaults)]
        for one, other in pairwise(plain):
            (start, middle), (after, end) = self.mine.span(one), self.mine.span(other)
            between = self.mine.data[middle:after].decode()
            text = f"{self.mine.of(other)}{between}{self.mine.of(one)}"
            yield Edit((Change(start, end, text),), node.lineno, 5)

    @of_kind("repeated")
    def _repeated(self, node: ast.stmt) -> Iterator[Edit]:
        """A name that the function gave to another before, given to it again here."""
        function = self.mine.around(node)
        start = self.mine.start(node.lineno)
        for one in getattr(function, "body", ()) if node in self.mine.block(node) else ():
            match one:
                case ast.Assign(targets=[ast.Name()], value=ast.Name()) if one.lineno < node.lineno:
                    text = f"{' ' * self.mine.indent(node)}{self.mine.of(one)}\n"
                    yield Edit((Change(start, start, text),), node.lineno, 4)

    @of_kind("split")
    def _split(self, node: ast.Assign) -> Iterator[Edit]:
        """A value made once for each of the names that it is given to."""
        indent, value = " " * self.mine.indent(node), self.mine.of(node.value)
        lines = [f"{self.mine.of(one)} = {value}" for one in node.targets]
        yield Edit((Change(*self.mine.span(node), f"\n{indent}".join(lines)),), node.lineno, 4)

    @of_kind("statement moved")
    def _moved(self, node: ast.stmt) -> Iterator[Edit]:
        """The statement after the next, in the loop that follows, out of its block, or gone."""
        block = self.mine.block(node)
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
        if at and isinstance(before := block[at - 1], ast.For | ast.While):
            yield self._back_into(node, before)
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
        moved = self._inside(node, loop)
        return Edit(
            (Change(start, end, ""), Change(first, first, moved)), node.lineno, 8, "into a loop"
        )

    def _back_into(self, node: ast.stmt, loop: ast.For | ast.While) -> Edit:
        """A statement as the last one of the loop before it."""
        change = Change(*self._lines(node), self._inside(node, loop))
        return Edit((change,), node.lineno, 4, "into a loop")

    def _inside(self, node: ast.stmt, loop: ast.For | ast.While) -> str:
        """The lines of a statement, indented as the body of a loop is."""
        start, end = self._lines(node)
        shift = " " * (self.mine.indent(loop.body[0]) - self.mine.indent(node))
        lines = self.mine.data[start:end].decode().splitlines(keepends=True)
        return "".join(shift + line for line in lines)

    @of_kind("assigned")
    def _assigned(self, node: ast.Expr) -> Iterator[Edit]:
        """A result that is thrown away, assigned or returned."""
        start, _ = self.mine.span(node)
        names = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
        for name in dict.fromkeys(names):
            yield Edit((Change(start, start, f"{name} = "),), node.lineno, 4)
        yield Edit((Change(start, start, "return "),), node.lineno, 5)

    @of_kind("raised")
    def _done_with(self, value: ast.expr) -> Iterator[Edit]:
        """An error raised that is only made; a value assigned that is only compared."""
        start, _ = self.mine.span(value)
        if isinstance(value, ast.Call) and called(value).endswith("Error"):
            yield Edit((Change(start, start, "raise "),), value.lineno, 1)
        if isinstance(value, ast.Call) and called(value) == "print" and value.args:
            _, end = self.mine.span(value)
            text = f"return {self.mine.of(value.args[0])}"
            yield Edit((Change(start, end, text),), value.lineno, 1)
        match value:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                (_, start), (end, _) = self.mine.span(left), self.mine.span(right)
                yield Edit((Change(start, end, " = "),), value.lineno, 1)

    @of_kind("items")
    def _iterated(self, value: ast.expr, target: ast.expr) -> Iterator[Edit]:
        """Pairs of a mapping, or numbered items, for two variables of a loop."""
        if isinstance(target, ast.Tuple) and len(target.elts) == 2:
            text = self.mine.of(value)
            yield from self.put(value, f"{text}.items()")
            yield from self.put(value, f"enumerate({text})")

    @of_kind("branch")
    def _taken(self, node: ast.If) -> Iterator[Edit]:
        """One branch of a condition, whatever that says."""
        start, end = self._lines(node)
        for block in filter(None, (node.body, node.orelse)):
            first, last = self._lines(block[0])[0], self._lines(block[-1])[1]
            shift = self.mine.indent(block[0]) - self.mine.indent(node)
            lines = self.mine.data[first:last].decode().splitlines(keepends=True)
            text = "".join(line[shift:] if line[:shift].isspace() else line for line in lines)
            if self.mine.data[start:end].lstrip().startswith(b"if") and shift > 0:
                yield Edit((Change(start, end, text),), node.lineno, 6)

    @of_kind("elif")
    def _chained(self, node: ast.If) -> Iterator[Edit]:
        """``elif`` for an ``if`` that follows another, and the reverse."""
        block = self.mine.block(node)
        at = [one is node for one in block].index(True) if block else 0
        start, _ = self.mine.span(node)
        if self.mine.data[start : start + 4] == b"elif":
            yield Edit((Change(start, start + 4, "if"),), node.lineno, 4)
        elif at and isinstance(before := block[at - 1], ast.If) and not before.orelse:
            yield Edit((Change(start, start, "el"),), node.lineno, 4)

    @of_kind("defined")
    def _another_definition(self, node: ast.FunctionDef | ast.ClassDef) -> Iterator[Edit]:
        """A function or class under a name that the reference has and the program lacks."""
        start, _ = self.mine.span(node)
        start = self.mine.data.index(node.name.encode(), start + len("def"))
        for name in nearest(node.name, self.words.undefined(node)):
            change = Change(start, start + len(node.name.encode()), name)
            yield Edit((change,), node.lineno, 4 + unlike(node.name, name))

    @of_kind("target")
    def _another_target(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        start, end = self.mine.span(target)
        for name in self.words.around.read_after(node, target.id):
            size = 3 + unlike(target.id, name)
            yield Edit((Change(start, end, name),), node.lineno, size)
        if isinstance(node.value, ast.Call):
            for name in [one.id for one in node.value.args if isinstance(one, ast.Name)][:1]:
                if name != target.id:
                    yield Edit((Change(start, end, name),), node.lineno, 3)
        if self.words.around.is_list(node, target.id):
            value = node.value
            value = value.elts[0] if isinstance(value, ast.List) and value.elts else value
            (first, last), text = self.mine.span(node), self.mine.of(value)
            change = Change(first, last, f"{target.id}.append({text})")
            yield Edit((change,), node.lineno, 4)
        itself = isinstance(node.value, ast.Name) and node.value.id == target.id
        if self.words.around.in_method(node) and (itself or target.id in self.words.own):
            yield Edit((Change(start, end, f"self.{target.id}"),), node.lineno, 4)
        if self.raised:
            end, _ = self.mine.span(node.value)
            yield Edit((Change(start, end, "return "),), node.lineno, 8)
            if acts(node.value):
                yield Edit((Change(start, end, ""),), node.lineno, 4)

    def _lines(self, node: ast.stmt) -> tuple[int, int]:
        """Where the lines of a statement begin and end."""
        return self.mine.start(node.lineno), self.mine.start((node.end_lineno or 0) + 1)


def acts(value: ast.expr) -> bool:
    """Whether an expression is no result: a docstring, a yield, a call that changes something."""
    name = called(value) if isinstance(value, ast.Call) else ""
    return isinstance(value, ast.Constant | ast.Yield | ast.YieldFrom) or name in ACTING
