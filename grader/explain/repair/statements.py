"""Edits of whole statements: a result assigned, a statement left out, moved or shifted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from grader.explain.repair.bodies import Bodies
from grader.explain.repair.edits import Change, Edit, of_kind
from grader.explain.repair.maker import Maker
from grader.explain.repair.vocabulary import called, unlike

ACTING = frozenset(("__init__", "append", "extend", "insert", "print", "setattr", "update"))
"""What is called for what it does, not for its result."""


class Statements(Maker):
    """Edits of statements."""

    def of(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of a whole statement: its result assigned, itself left out, moved or shifted."""
        match node:
            case ast.Expr(value=value):
                if not acts(value):
                    yield from self._assigned(node)
                if self.raised:
                    yield from self._set(value)
                yield from self._done_with(value)
            case ast.Assign(targets=[ast.Name() as target]):
                yield from self._another_target(node, target)
                yield from self._added_up(node, target)
            case ast.Assign(targets=[_, _, *_]):
                yield from self._split(node)
            case ast.AnnAssign(value=None) if self.raised:
                yield from self._given_a_value(node)
            case ast.If():
                yield from self._taken(node)
        yield from self._moved(node)
        yield from self._bodies.of(node)

    @cached_property
    def _bodies(self) -> Bodies:
        return Bodies(self.mine, self.words, self.raised)

    @of_kind("added up")
    def _added_up(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        """A value added to a variable of a loop, instead of put in its place."""
        (_, end), value = self.mine.span(target), node.value
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd):  # =+ for +=
            start, _ = self.mine.span(value.operand)
            yield Edit((Change(end, start, " += "),), node.lineno, -2)
        elif self.mine.in_loop(node) and not isinstance(node.value, ast.Constant):
            start, _ = self.mine.span(value)
            yield Edit((Change(end, start, " += "),), node.lineno, 3)

    @of_kind("split")
    def _split(self, node: ast.Assign) -> Iterator[Edit]:
        """A value made once for each of the names that it is given to."""
        indent, value = " " * self.mine.indent(node), self.mine.of(node.value)
        lines = [f"{self.mine.of(one)} = {value}" for one in node.targets]
        yield Edit((Change(*self.mine.span(node), f"\n{indent}".join(lines)),), node.lineno, 4)

    @of_kind("default")
    def _given_a_value(self, node: ast.stmt) -> Iterator[Edit]:
        """A number or a constant of the module as the value of a field."""
        _, end = self.mine.span(node)
        for text in (*self.words.constants, *self.words.numbers):
            yield Edit((Change(end, end, f" = {text}"),), node.lineno, 3)

    @of_kind("statement moved")
    def _moved(self, node: ast.stmt) -> Iterator[Edit]:
        """The statement after the next, out of its block, or gone."""
        block = self.mine.block(node)
        at = [one is node for one in block].index(True) if block else 0
        if not block or any(one is not node and one.lineno == node.lineno for one in block):
            return
        for other in block[at + 1 : at + 2]:
            (start, middle), (_, end) = self._lines(node), self._lines(other)
            data = self.mine.data
            swapped = (data[middle:end] + data[start:middle]).decode()
            if not isinstance(other, ast.FunctionDef | ast.ClassDef) and swapped.endswith("\n"):
                yield Edit((Change(start, end, swapped),), node.lineno, 12)
        if at and (body := getattr(block[at - 1], "body", None)) and isinstance(body, list):
            yield self._indented(node, body[0])
        start, end = self._lines(node)
        gone = "" if len(block) > 1 else f"{' ' * self.mine.indent(node)}pass\n"
        kind = "check gone" if _checks(node) else "statement gone"
        yield Edit((Change(start, end, gone),), node.lineno, 14, kind)
        text = self.mine.data[start:end].decode()
        if at == len(block) - 1 and text.startswith("        "):
            shifted = "".join(line[4:] for line in text.splitlines(keepends=True))
            yield Edit((Change(start, end, shifted),), node.lineno, 6)

    def _indented(self, node: ast.stmt, inner: ast.stmt) -> Edit:
        """A statement as the last one of the block before it."""
        start, end = self._lines(node)
        shift = " " * (self.mine.indent(inner) - self.mine.indent(node))
        lines = self.mine.data[start:end].decode().splitlines(keepends=True)
        change = Change(start, end, "".join(shift + line for line in lines))
        return Edit((change,), node.lineno, 4, "indented")

    @of_kind("assigned")
    def _assigned(self, node: ast.Expr) -> Iterator[Edit]:
        """A result that is thrown away, assigned or returned."""
        start, _ = self.mine.span(node)
        names = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
        for name in dict.fromkeys(names):
            yield Edit((Change(start, start, f"{name} = "),), node.lineno, 4)
        yield Edit((Change(start, start, "return "),), node.lineno, 5)

    @of_kind("set")
    def _set(self, value: ast.expr) -> Iterator[Edit]:
        """``object.name = value`` for ``object.method("name", value)``, in every such call."""
        calls = []
        for one in self.mine.nodes:
            match value, one:
                case (
                    ast.Call(func=ast.Attribute(attr=method)),
                    ast.Call(
                        func=ast.Attribute(value=owner, attr=same),
                        args=[ast.Constant(value=str(name)), given, *_],
                    ),
                ) if method == same and isinstance(self.mine.parents.get(one), ast.Expr):
                    text = f"{self.mine.of(owner)}.{name} = {self.mine.of(given)}"
                    calls.append(Change(*self.mine.span(one), text))
        if calls:
            yield Edit(tuple(sorted(calls)), value.lineno, 2)

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


def _checks(node: ast.stmt) -> bool:
    """Whether a statement only refuses something."""
    refuses = isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise) and not node.orelse
    return refuses or isinstance(node, ast.Assert)


def acts(value: ast.expr) -> bool:
    """Whether an expression is no result: a docstring, a yield, a call that changes something."""
    name = called(value) if isinstance(value, ast.Call) else ""
    return isinstance(value, ast.Constant | ast.Yield | ast.YieldFrom) or name in ACTING
