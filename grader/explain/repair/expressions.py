"""Edits of what usually goes wrong in one expression, whatever the program is.

They know no mistake by name: a part is left out, replaced by another of its kind, swapped with its
neighbour, or wrapped in a step that the reference takes somewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from grader.explain.repair.arguments import Arguments
from grader.explain.repair.conversions import Calls
from grader.explain.repair.edits import Change, Edit, of_kind
from grader.explain.repair.literals import Literals
from grader.explain.repair.maker import Maker
from grader.explain.repair.operators import Operators
from grader.explain.repair.unused_names import UnusedNames
from grader.explain.repair.vocabulary import MOST_NAMES, nearest, unlike

TWINS = (
    ("triu", "tril"),
    ("triu_indices", "tril_indices"),
    ("zeros", "ones"),
    ("min", "max"),
    ("max", "sum"),
    ("stack", "concat"),
    ("sum", "mean"),
    ("argmin", "argmax"),
    ("sin", "cos"),
    ("keys", "items"),
    ("values", "items"),
    ("append", "extend"),
    ("any", "all"),
    ("lstrip", "removeprefix"),
    ("rstrip", "removesuffix"),
    ("union", "intersection"),
    ("squeeze", "unsqueeze"),
    ("add", "sub"),
    ("mul", "div"),
    ("mul", "truediv"),
    ("split", "chunk"),
    ("minimum", "maximum"),
    ("tile", "repeat"),
)
"""Functions that are taken for each other, though a program has one of them only."""
VALUES = (ast.Name, ast.Call, ast.Attribute, ast.BinOp, ast.Subscript)
"""Expressions that may take a step more."""
NOTHING = "0.0"
"""What may be meant where a named number is written: a mask is made of two, and one is this."""
SOONER = -4
"""What an edit weighs of which there are few, and which are often right."""
FACTOR = 2
"""What it weighs to leave a factor out, however long it is."""
BESIDE = 3
"""How unlike a name that may be meant is taken to be, if it is not among the most similar."""


class Expressions(Maker):
    """Edits of expressions."""

    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of one expression by itself; not of what is inside."""
        if not isinstance(getattr(node, "ctx", None), ast.Store):
            yield from self._parts(node)
        yield from self._by_kind(node)
        yield from self._wrapped(node)
        if self.is_handed_on(node) and not self.raised:
            yield from self._moved(node)
        for maker in self._makers:
            yield from maker.of(node)

    @cached_property
    def _makers(self) -> tuple[Operators | Calls | UnusedNames, ...]:
        """What makes edits of any expression."""
        given = self.mine, self.words, self.raised
        makers = Operators, Calls, UnusedNames
        return tuple(one(*given) for one in makers)

    @cached_property
    def _literals(self) -> Literals:
        return Literals(self.mine, self.words, self.raised)

    @cached_property
    def _arguments(self) -> Arguments:
        return Arguments(self.mine, self.words, self.raised)

    @of_kind("constant")
    def _by_kind(self, node: ast.expr) -> Iterator[Edit]:
        match node:
            case ast.Name(ctx=ast.Load()):
                yield from self._name(node)
            case ast.Attribute():
                yield from self._attribute(node)
            case ast.Constant():
                yield from self._literals.of(node)
            case ast.Call(func=ast.Name("float"), args=[ast.Constant(value=str())]):
                yield from self.put(node, "0.0")
            case ast.Call():
                yield from self._arguments.of_call(node)
            case ast.Slice():
                yield from self._slice(node)
            case ast.List() | ast.Tuple():
                yield from self._arguments.of_list(node)

    @of_kind("part")
    def _parts(self, node: ast.expr) -> Iterator[Edit]:
        """A part of the expression in place of the whole."""
        for part in self._inside(node):
            if isinstance(part, ast.Name) and part.id in self.words.modules:
                continue
            text = self.mine.of(part)
            size = (len(text) - len(self.mine.of(node))) * 3 // 4
            kind = "factor" if self._scales(node) else ""
            for one in self.put(node, text, size):
                yield replace(one, kind=kind, size=FACTOR if kind == "factor" else one.size)

    def _scales(self, node: ast.expr) -> bool:
        """Whether an expression is another one times or over something."""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div)

    def _inside(self, node: ast.expr) -> list[ast.expr]:
        """The parts of an expression that may stand for the whole."""
        match node:
            case ast.BinOp():
                return [node.left, node.right]
            case ast.Call():
                receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
                return [*receiver, *node.args[:1], *([node.func] if self.raised else [])]
            case ast.UnaryOp(operand=one) | ast.List(elts=[one]) | ast.Tuple(elts=[one]):
                return [one]
            case ast.Subscript(value=ast.Subscript(value=inner) as one):
                return [one, inner]
            case ast.Subscript(value=one) | ast.Starred(value=one):
                return [one]
            case ast.Attribute(value=one) if self.raised or not isinstance(one, ast.Name):
                return [one]
            case ast.IfExp():
                return [node.body, node.orelse]
            case ast.BoolOp():
                return node.values
        return []

    @of_kind("name")
    def _name(self, node: ast.Name) -> Iterator[Edit]:
        near = nearest(node.id, self.words.names(node)) if node.id != "self" else []
        for name in near:
            yield from self.put(node, name, unlike(node.id, name))
        for name in self.words.around.beside(node):
            if name not in near:
                yield from self.put(node, name, BESIDE)
        if not self.is_called(node):
            for name in self.words.around.kept_before(node):
                yield from self.put(node, f"self.{name}", BESIDE)
        if node.id in self.words.constants:
            yield from self.put(node, NOTHING, SOONER)
        if self.words.around.in_method(node) and self.words.around.defines(node.id):
            start, _ = self.mine.span(node)
            yield Edit((Change(start, start, "self."),), node.lineno, 2)

    @of_kind("attribute")
    def _attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        start, end = self.mine.span(node)
        start = end - len(node.attr.encode())
        others = self.words.attributes(node)
        if isinstance(node.ctx, ast.Store):
            others = [name for name in others if name not in self.words.around.set_attributes]
        twins = [pair[1 - pair.index(node.attr)] for pair in TWINS if node.attr in pair]
        said = self.words.said if len(self.words.said) <= MOST_NAMES else ()
        for name in dict.fromkeys((*nearest(node.attr, others), *twins, *said)):
            size = SOONER if name in twins else 2 + unlike(node.attr, name)
            yield Edit((Change(start, end, name),), node.end_lineno or node.lineno, size)
        for name in self.words.around.beside_attribute(node):
            yield Edit((Change(start, end, name),), node.lineno, 2 + BESIDE)

    @of_kind("slice")
    def _slice(self, node: ast.Slice) -> Iterator[Edit]:
        lower, upper, step = (
            self.mine.of(one) if one is not None else ""
            for one in (node.lower, node.upper, node.step)
        )
        start, end = self.mine.span(node)
        others = [(upper, lower, step), (upper, "", step), ("", lower, step), (lower, "", upper)]
        others += [("", upper, step), (lower, "", step)]
        others += [(f"-{one}", "", step) for one in (lower, upper) if one and one[0] != "-"]
        others += [(bound, upper, step) for bound in self.words.around.bounds]
        others += [(lower, bound, step) for bound in self.words.around.bounds]
        for one in dict.fromkeys(others):
            if _is_idle(one, (lower, upper, step)):
                continue
            text = f"{one[0]}:{one[1]}" + (f":{one[2]}" if one[2] else "")
            yield Edit((Change(start, end, text),), node.lineno, 3)

    @of_kind("step")
    def _wrapped(self, node: ast.expr) -> Iterator[Edit]:
        """A step that the reference takes somewhere, taken here."""
        if not isinstance(node, VALUES) or not self.is_handed_on(node):
            return
        for before, after in self.words.steps():
            if before.removesuffix("(").isidentifier() and not self.raised:
                continue
            text = self.mine.of(node)
            if after.startswith(".") and not isinstance(node, ast.Name | ast.Attribute | ast.Call):
                text = text if isinstance(node, ast.Subscript) else f"({text})"
            yield from self.put(node, f"{before}{text}{after}")
            match node:
                case ast.Call(func=ast.Attribute(value=value)) if not before:
                    yield from self.put(node, f"{self.mine.of(value)}{after}", 4)

    @of_kind("step moved")
    def _moved(self, node: ast.expr) -> Iterator[Edit]:
        """A step taken on a part of what it is taken on, or of a part on the whole."""
        for whole, inner in ((node, node), *((node, one) for one in _operands(node))):
            match inner:
                case ast.Call(func=ast.Name() | ast.Attribute(), args=[value, *_]):
                    (start, end), (first, last) = self.mine.span(inner), self.mine.span(value)
                    before = self.mine.data[start:first].decode()
                    after = self.mine.data[last:end].decode()
                    yield from self._taken(whole, inner, value, before, after)

    def _taken(
        self, node: ast.expr, step: ast.expr, value: ast.expr, before: str, after: str
    ) -> Iterator[Edit]:
        """A step that is taken on ``value`` inside ``node``, taken elsewhere in there."""
        start, end = self.mine.span(node)
        (first, last), (inner, upto) = self.mine.span(step), self.mine.span(value)
        text = self.mine.data
        if step is not node:
            rest = text[start:first] + text[inner:upto] + text[last:end]
            yield from self.put(node, f"{before}{rest.decode()}{after}", -4)
            return
        for part in _operands(value):
            (one, other), taken = self.mine.span(part), self.mine.of(part)
            new = text[inner:one].decode() + before + taken + after + text[other:upto].decode()
            yield from self.put(node, new, -4)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """The values inside an operation or a call."""
    match node:
        case ast.BinOp(left=left, right=right):
            found = [left, right]
        case ast.Call(func=ast.Attribute(value=value), args=args):
            found = [value, *args]
        case ast.Call(args=args):
            found = args
        case _:
            found = []
    for one in found:
        if isinstance(one, VALUES):
            yield one
            yield from _operands(one)


def _is_idle(bounds: tuple[str, str, str], before: tuple[str, str, str]) -> bool:
    """Whether a slice has the same bounds as before, or holds nothing."""
    lower, upper, step = bounds
    same = (lower or "0", upper, step or "1") == (before[0] or "0", before[1], before[2] or "1")
    nothing = (
        not step
        and (lower or "0").isdigit()
        and upper.isdigit()
        and int(upper or 0) <= int(lower or 0)
    )
    return same or nothing
