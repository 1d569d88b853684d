"""Edits of what usually goes wrong in one expression, whatever the program is.

They know no mistake by name: a part is left out, replaced by another of its kind, swapped with its
neighbour, or wrapped in a step that the reference takes somewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from grader.grading.tried.arguments import Arguments
from grader.grading.tried.maker import Maker
from grader.grading.tried.text import Change, Edit
from grader.grading.tried.words import SMALL, called, nearest, unlike

OPERATORS: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-", "*")),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/", "@", "+")),
    ast.Div: ("/", ("*", "//")),
    ast.FloorDiv: ("//", ("/", "%")),
    ast.Mod: ("%", ("/",)),
    ast.MatMult: ("@", ("*",)),
    ast.Pow: ("**", ("*",)),
}
"""Each operator's sign, and the signs of those that it is taken for."""
COMPARISONS: tuple[tuple[str, type[ast.cmpop]], ...] = (
    ("<", ast.Lt),
    ("<=", ast.LtE),
    (">", ast.Gt),
    (">=", ast.GtE),
    ("==", ast.Eq),
    ("!=", ast.NotEq),
    ("is", ast.Is),
    ("is not", ast.IsNot),
)
TWINS = (
    ("triu", "tril"),
    ("triu_indices", "tril_indices"),
    ("zeros", "ones"),
    ("min", "max"),
    ("stack", "concat"),
)
"""Functions that are taken for each other, though a program has one of them only."""
NOTHING = "0.0"
"""What may be meant where a named number is written: a mask is made of two, and one is this."""
SOONER = -4
"""What an edit weighs of which there are few, and which are often right."""
LARGE, LARGE_MORE = 64, 4
"""Numbers above the first are seldom wrong by one."""
AXES = (-1, -2, -3, 0, 1, 2, 3)


class Expressions(Maker):
    """Edits of expressions."""

    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of one expression by itself; not of what is inside."""
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            yield from self._parts(node)
        yield from self._by_kind(node)
        yield from self._wrapped(node)
        yield from self._shifted(node)

    @cached_property
    def _arguments(self) -> Arguments:
        return Arguments(self.mine, self.words, self.raised)

    def _by_kind(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Name(ctx=ast.Load()):
                yield from self._name(node)
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Constant():
                yield from self._constant(node)
            case ast.BinOp():
                yield from self._operation(node)
            case ast.Compare(ops=[_]):
                yield from self._comparison(node)
            case ast.Call(func=ast.Name("float"), args=[ast.Constant(value=str())]):
                yield from self.put(node, "0.0")
            case ast.Call():
                yield from self._arguments.of_call(node)
            case ast.Slice():
                yield from self._slice(node)
            case ast.List(ctx=ast.Load()) | ast.Tuple(ctx=ast.Load()):
                yield from self._arguments.of_list(node)

    def _parts(self, node: ast.expr) -> Iterator[Edit]:
        """A part of the expression in place of the whole."""
        parts: list[ast.expr] = []
        match node:
            case ast.BinOp():
                parts = [node.left, node.right]
            case ast.Call():
                receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
                parts = [*receiver, *node.args[:1], *([node.func] if self.raised else [])]
            case ast.UnaryOp():
                parts = [node.operand]
            case ast.Subscript() | ast.Starred():
                parts = [node.value]
            case ast.Attribute() if self.raised or not isinstance(node.value, ast.Name):
                parts = [node.value]
            case ast.IfExp():
                parts = [node.body, node.orelse]
            case ast.List(elts=[one]) | ast.Tuple(elts=[one]):
                parts = [one]
        for part in parts:
            if isinstance(part, ast.Name) and part.id in self.words.modules:
                continue
            text = self.mine.of(part)
            yield from self.put(node, text, (len(text) - len(self.mine.of(node))) * 3 // 4)

    def _name(self, node: ast.Name) -> Iterator[Edit]:
        for name in nearest(node.id, self.words.names(node)) if node.id != "self" else ():
            yield from self.put(node, name, unlike(node.id, name))
        if node.id in self.words.constants:
            yield from self.put(node, NOTHING, SOONER)
        if self.words.in_method(node) and self.words.defines(node.id):
            start, _ = self.mine.span(node)
            yield Edit((Change(start, start, "self."),), node.lineno, 2)

    def _attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        start, end = self.mine.span(node)
        start = end - len(node.attr.encode())
        others = self.words.attributes(node)
        if isinstance(node.ctx, ast.Store):
            others = [name for name in others if name not in self.words.set_attributes]
        twins = [pair[1 - pair.index(node.attr)] for pair in TWINS if node.attr in pair]
        for name in dict.fromkeys((*nearest(node.attr, others), *twins)):
            size = SOONER if name in twins else 2 + unlike(node.attr, name)
            yield Edit((Change(start, end, name),), node.end_lineno or node.lineno, size)

    def _constant(self, node: ast.Constant) -> Iterator[Edit]:
        value = node.value
        if isinstance(value, bool):
            yield from self.put(node, str(not value))
        elif isinstance(value, int):
            outer = self.mine.parents.get(node)
            whole = outer if isinstance(outer, ast.UnaryOp) else node
            old = -value if isinstance(outer, ast.UnaryOp) else value
            idle = _idle(self.mine.parents.get(whole))
            inside = isinstance(self.mine.parents.get(whole), ast.BinOp)
            others = [2 * old, old - 1, old + 1] if inside else [-old, *AXES, old - 1, old + 1]
            if self._listed_numbers(whole):
                others = []
            for other in dict.fromkeys(others):
                if other not in (old, idle):
                    far = LARGE_MORE if old > LARGE else min(20, abs(other - old) // 2)
                    yield from self.put(whole, str(other), far)
        if isinstance(value, float) or (type(value) is int and value > SMALL):
            for text in self.words.numbers:
                yield from self.put(node, text, 3)
        given = isinstance(self.mine.parents.get(node), ast.Call | ast.keyword)
        if given and (value is None or type(value) is int):
            for name in self.words.variables(node):
                yield from self.put(node, name, 3 - abs(len(name) - len(repr(value))))

    def _listed_numbers(self, node: ast.expr) -> bool:
        """Whether a number is among others in a list: their order may be wrong."""
        outer = self.mine.parents.get(node)
        return isinstance(outer, ast.List | ast.Tuple) and all(
            isinstance(one, ast.Constant | ast.UnaryOp) for one in outer.elts
        )

    def _operation(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right = self.mine.of(node.left), self.mine.of(node.right)
        sign, others = OPERATORS.get(type(node.op), ("", ()))
        for other in others:
            yield from self._between(node.left, node.right, other)
        if sign and sign not in "+*":
            first, second = (
                f"({text})" if isinstance(part, ast.BinOp | ast.UnaryOp | ast.IfExp) else text
                for text, part in ((right, node.right), (left, node.left))
            )
            yield from self.put(node, f"{first} {sign} {second}", 2)

    def _between(self, left: ast.expr, right: ast.expr, sign: str) -> Iterator[Edit]:
        """Another operator between two expressions."""
        _, start = self.mine.span(left)
        end, _ = self.mine.span(right)
        old = self.mine.data[start:end].decode()
        symbol = old.strip().strip("()").strip()
        if symbol and "\n" not in old:
            text = old.replace(symbol, sign, 1)
            yield Edit((Change(start, end, text),), left.lineno, 6)

    def _comparison(self, node: ast.Compare) -> Iterator[Edit]:
        for sign, kind in COMPARISONS:
            if not isinstance(node.ops[0], kind):
                yield from self._between(node.left, node.comparators[0], sign)

    def _slice(self, node: ast.Slice) -> Iterator[Edit]:
        lower, upper, step = (
            self.mine.of(one) if one is not None else ""
            for one in (node.lower, node.upper, node.step)
        )
        start, end = self.mine.span(node)
        others = [(upper, lower, step), (upper, "", step), ("", lower, step), (lower, "", upper)]
        others += [("", upper, step), (lower, "", step)]
        others += [(bound, upper, step) for bound in self.words.bounds]
        others += [(lower, bound, step) for bound in self.words.bounds]
        for one in dict.fromkeys(others):
            text = f"{one[0]}:{one[1]}" + (f":{one[2]}" if one[2] else "")
            yield Edit((Change(start, end, text),), node.lineno, 3)

    def _wrapped(self, node: ast.expr) -> Iterator[Edit]:
        """A step that the reference takes somewhere, taken here."""
        if isinstance(node, ast.Constant | ast.Slice | ast.Starred | ast.List | ast.Tuple):
            return
        if isinstance(getattr(node, "ctx", None), ast.Store) or self.is_called(node):
            return
        for before, after in self.words.steps():
            if before.removesuffix("(").isidentifier() and not self.raised:
                continue
            text = self.mine.of(node)
            if after.startswith(".") and not isinstance(node, ast.Name | ast.Attribute | ast.Call):
                text = text if isinstance(node, ast.Subscript) else f"({text})"
            yield from self.put(node, f"{before}{text}{after}")

    def _shifted(self, node: ast.expr) -> Iterator[Edit]:
        """A value negated; a bound one more or less."""
        named = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BinOp | ast.Subscript)
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if not named or stored or self.is_called(node):
            return
        text, outer = self.mine.of(node), self.mine.parents.get(node)
        signed = isinstance(node, ast.Name | ast.Attribute | ast.Call)
        if signed and not self.raised and not self._owns(node, outer):
            yield from self.put(node, f"-{text}", 6)
        counts = isinstance(outer, ast.Call) and "range" in called(outer)
        place = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        kept = place and isinstance(outer, ast.Assign)
        if counts or kept or isinstance(outer, ast.Slice | ast.Compare):
            yield from self.put(node, f"{text} + 1", 2)
            yield from self.put(node, f"{text} - 1", 2)

    def _owns(self, node: ast.expr, outer: ast.AST | None) -> bool:
        return isinstance(outer, ast.Attribute | ast.Subscript) and outer.value is node


def _idle(outer: ast.AST | None) -> int | None:
    """The number that changes nothing as a part of an operation."""
    if not isinstance(outer, ast.BinOp):
        return None
    return 0 if isinstance(outer.op, ast.Add | ast.Sub) else 1
