"""Edits of what a program does with a value: it calls it, takes a part of it, or turns it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.maker import Maker
from grader.explain.repair.text import Edit, of_kind
from grader.explain.repair.words import called

SORTING = ("argsort", "sort", "sorted")
"""Functions that put the smallest first."""
TURNED = ("int", "len", "list", "tuple")
"""Python's functions that turn one value into another kind."""
MOST_GIVEN, MOST_OWNERS = 4, 8
"""Variables that a function is given, and attributes of which another one may be."""
PARTS = ("[0]", "[1]", "[-1]", ".shape", "()")
"""What is taken of a value, or done with it."""


class Calls(Maker):
    """Edits of values whose kind is wrong; for programs that raised an error, if not said else."""

    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of one value by itself."""
        if isinstance(node, ast.BinOp | ast.Name | ast.Call | ast.Attribute):
            yield from self._inverse(node)
        if isinstance(node, ast.Call) and node.args and called(node) in SORTING:
            yield from self._backwards(node)
        if not self.raised or isinstance(node, ast.Constant | ast.Slice | ast.Starred):
            return
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if stored or isinstance(node, ast.List | ast.Tuple | ast.BinOp):
            return
        if not self.is_called(node):
            yield from self._turned(node)
            yield from self._taken(node)
        yield from self._by_kind(node)

    def _by_kind(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Name() if self.is_called(node):
                yield from self._of_module(node)
            case ast.Name() if node.id in self.words.functions:
                yield from self._called_with(node)
            case ast.Name():
                yield from self._applied(node)
            case ast.Attribute():
                yield from self._otherwise_reached(node)
                yield from self._called(node)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if self._is_plain(value):
                yield from self._function(node, value, name)
            case ast.Call(func=ast.Name("len"), args=[ast.Name(id=name)]):
                yield from self._measured(node, name)
            case ast.Call(func=ast.Name(), args=[ast.Attribute(value=value, attr=name)]):
                yield from self._attribute_of(node, value, name)

    @of_kind("backwards")
    def _backwards(self, node: ast.Call) -> Iterator[Edit]:
        """What is sorted, from the largest to the smallest."""
        yield from self.put(node, f"{self.mine.of(node)}[::-1]", -2)
        yield from self.put(node.args[0], f"-{self.mine.of(node.args[0])}")

    @of_kind("inverse")
    def _inverse(self, node: ast.expr) -> Iterator[Edit]:
        """One over a value that is kept or multiplied with."""
        outer = self.mine.parents.get(node)
        times = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult)
        called = isinstance(node, ast.Call | ast.BinOp | ast.Name)
        if (times and isinstance(node, ast.Call)) or (isinstance(outer, ast.Assign) and called):
            text = self.mine.of(node)
            text = f"({text})" if isinstance(node, ast.BinOp) else text
            yield from self.put(node, f"1.0 / {text}", 2)

    @of_kind("turned into")
    def _turned(self, node: ast.expr) -> Iterator[Edit]:
        """A value as a number, a list or a tuple, or how long it is."""
        text = self.mine.of(node)
        for name in TURNED:
            if not text.startswith(f"{name}("):
                yield from self.put(node, f"{name}({text})")

    @of_kind("taken")
    def _taken(self, node: ast.expr) -> Iterator[Edit]:
        """A part of a value, what it returns, or that at the place of a variable."""
        text = self.mine.of(node)
        places = [
            name for name in self.words.around.variables(node) if len(name) == 1 and name != text
        ]
        for part in (*PARTS, *(f"[{name}]" for name in places)):
            yield from self.put(node, f"{text}{part}", 2)

    @of_kind("called")
    def _called(self, node: ast.Attribute) -> Iterator[Edit]:
        """A method of the file called that is only named, where its result is kept or returned."""
        outer = self.mine.parents.get(node)
        if isinstance(outer, ast.Assign | ast.Return) and node.attr in self.words.around.methods:
            yield from self.put(node, f"{self.mine.of(node)}()")

    @of_kind("of a module")
    def _of_module(self, node: ast.Name) -> Iterator[Edit]:
        """A function of a module in place of a name that nothing has."""
        if node.id not in self.words.around.variables(node) and not self.words.around.defines(
            node.id
        ):
            for module in self.words.owners:
                yield from self.put(node, f"{module}.{node.id}")

    @of_kind("called with")
    def _called_with(self, node: ast.Name) -> Iterator[Edit]:
        """What a function of the file gives of a variable, in place of the function itself."""
        for name in self.words.around.variables(node)[:MOST_GIVEN]:
            yield from self.put(node, f"{node.id}({name})", 2)

    @of_kind("applied")
    def _applied(self, node: ast.Name) -> Iterator[Edit]:
        """What a variable that may be a function gives, where itself is kept or returned."""
        outer, names = self.mine.parents.get(node), self.words.around.variables(node)
        match outer:
            case ast.Assign(targets=[ast.Name(id=name)]) if outer.value is node:
                names = [name]
            case ast.Return():
                pass
            case _:
                return
        for name in [one for one in names if one != node.id][:MOST_GIVEN]:
            yield from self.put(node, f"{node.id}({name})", 2)

    @of_kind("measured")
    def _measured(self, node: ast.Call, name: str) -> Iterator[Edit]:
        """The length of an axis in place of that of a tensor."""
        for axis in (-1, -2, 0, 1):
            yield from self.put(node, f"int({name}.shape[{axis}])", abs(axis) - 8)

    @of_kind("reached")
    def _otherwise_reached(self, node: ast.Attribute) -> Iterator[Edit]:
        """``a.c`` for ``a.b.c``, and ``self.b.c`` for ``self.c`` that the file does not set."""
        match node.value:
            case ast.Attribute(value=owner):
                yield from self.put(node, f"{self.mine.of(owner)}.{node.attr}", -2)
            case ast.Name("self") if not self.words.around.defines(node.attr):
                for name in sorted(self.words.around.set_attributes)[:MOST_OWNERS]:
                    yield from self.put(node, f"self.{name}.{node.attr}")

    @of_kind("order")
    def _attribute_of(self, node: ast.Call, value: ast.expr, name: str) -> Iterator[Edit]:
        """``f(x).a`` for ``f(x.a)``."""
        yield from self.put(node, f"{self.mine.of(node.func)}({self.mine.of(value)}).{name}", -2)

    @of_kind("function")
    def _function(self, node: ast.Call, value: ast.expr, name: str) -> Iterator[Edit]:
        """The function of a module in place of a method."""
        (_, start), (_, end) = self.mine.span(node.func), self.mine.span(node)
        rest = self.mine.data[start + 1 : end - 1].decode().strip()
        if name == "size" and rest:
            yield from self.put(node, f"{self.mine.of(value)}.shape[{rest}]", -2)
        for module in self.words.owners:
            given = f"{self.mine.of(value)}, {rest}" if rest else self.mine.of(value)
            yield from self.put(node, f"{module}.{name}({given})")

    def _is_plain(self, value: ast.expr) -> bool:
        return not isinstance(value, ast.Name) or value.id not in self.words.modules
