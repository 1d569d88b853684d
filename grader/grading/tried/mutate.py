"""Edits of what usually goes wrong in one expression or statement, whatever the program is.

They know no mistake by name: a part is left out, replaced by another of its kind, swapped with its
neighbour, or wrapped in a step that the reference takes somewhere.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.grading.tried.text import Change, Edit, Text, bracketed
from grader.grading.tried.words import SMALL, Words, called

OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-*"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/@+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/%"),
    ast.Mod: ("%", "/"),
    ast.MatMult: ("@", "*"),
    ast.Pow: ("**", "*"),
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
AXES = (-1, -2, -3, 0, 1, 2, 3)
MOST_NAMES = 6
"""Of other names and attributes that are tried in place of one."""


@dataclass(frozen=True)
class Mutations:
    """Edits of single places of a program, which ``raised`` an error or is wrong."""

    mine: Text
    words: Words
    raised: bool

    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of one expression by itself; not of what is inside."""
        yield from self._parts(node)
        yield from self._by_kind(node)
        yield from self._wrapped(node)
        yield from self._shifted(node)

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
            case ast.Call():
                yield from self._call(node)
            case ast.Slice():
                yield from self._slice(node)
            case ast.List(ctx=ast.Load()) | ast.Tuple(ctx=ast.Load()):
                yield from self._swaps(node.elts)
                if self.raised:
                    yield from self._starred(node.elts)
                    yield from self._other_brackets(node)

    # ---- expressions ---------------------------------------------------------------------------

    def _put(self, node: ast.expr, text: str, weight: int = 0) -> Iterator[Edit]:
        """``text`` in place of a node, in brackets where it needs them."""
        try:
            new = ast.parse(text, mode="eval").body
        except SyntaxError:
            return
        text = bracketed(self.mine.parents.get(node), node, new, text)
        start, end = self.mine.span(node)
        size = 2 + weight + abs(end - start - len(text))
        yield Edit((Change(start, end, text),), node.lineno, size)

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
            yield from self._put(node, text, (len(text) - len(self.mine.of(node))) * 3 // 4)

    def _name(self, node: ast.Name) -> Iterator[Edit]:
        for name in nearest(node.id, self.words.names(node)) if node.id != "self" else ():
            yield from self._put(node, name, _unlike(node.id, name))

    def _attribute(self, node: ast.Attribute) -> Iterator[Edit]:
        start, end = self.mine.span(node)
        start = end - len(node.attr.encode())
        others = self.words.attributes(node)
        if isinstance(node.ctx, ast.Store):
            others = [name for name in others if name not in self.words.mentioned]
        for name in nearest(node.attr, others):
            size = 2 + _unlike(node.attr, name)
            yield Edit((Change(start, end, name),), node.end_lineno or node.lineno, size)

    def _constant(self, node: ast.Constant) -> Iterator[Edit]:
        value = node.value
        if isinstance(value, bool):
            yield from self._put(node, str(not value))
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
                    yield from self._put(whole, str(other), min(20, abs(other - old) // 2))
        if isinstance(value, float) or (type(value) is int and value > SMALL):
            for text in self.words.numbers:
                yield from self._put(node, text, 3)

    def _listed_numbers(self, node: ast.expr) -> bool:
        """Whether a number stands among others in a list: their order may be wrong."""
        outer = self.mine.parents.get(node)
        return isinstance(outer, ast.List | ast.Tuple) and all(
            isinstance(one, ast.Constant | ast.UnaryOp) for one in outer.elts
        )

    def _operation(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right = self.mine.of(node.left), self.mine.of(node.right)
        sign, others = OPERATORS.get(type(node.op), ("", ""))
        for other in others:
            yield from self._between(node.left, node.right, other)
        if sign and sign not in "+*":
            first, second = (
                f"({text})" if isinstance(part, ast.BinOp | ast.UnaryOp | ast.IfExp) else text
                for text, part in ((right, node.right), (left, node.left))
            )
            yield from self._put(node, f"{first} {sign} {second}", 2)

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

    def _call(self, node: ast.Call) -> Iterator[Edit]:
        yield from self._swaps(node.args)
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

    def _listed(self, node: ast.Call) -> Iterator[Edit]:
        """Arguments in a list, or out of one."""
        for one in node.args:
            if not isinstance(one, ast.Starred):
                yield from self._put(one, f"[{self.mine.of(one)}]")
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
            yield from self._put(node, f"({text[1:-1]}{',' * (len(node.elts) == 1)})", 1)
        elif text[:1] == "(":
            yield from self._put(node, f"[{text[1:-1].rstrip(',')}]", 1)

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

    def _swaps(self, parts: Sequence[ast.expr]) -> Iterator[Edit]:
        """Two of these swapped."""
        for at, one in enumerate(parts):
            for other in parts[at + 1 :]:
                first, second = self.mine.span(one), self.mine.span(other)
                changes = (
                    Change(*first, self.mine.of(other)),
                    Change(*second, self.mine.of(one)),
                )
                yield Edit(changes, one.lineno, 4)

    def _slice(self, node: ast.Slice) -> Iterator[Edit]:
        lower, upper, step = (
            self.mine.of(one) if one is not None else ""
            for one in (node.lower, node.upper, node.step)
        )
        start, end = self.mine.span(node)
        others = [(upper, lower, step), (upper, "", step), ("", lower, step), (lower, "", upper)]
        others += [("", upper, step), (lower, "", step)]
        for one in others:
            text = f"{one[0]}:{one[1]}" + (f":{one[2]}" if one[2] else "")
            yield Edit((Change(start, end, text),), node.lineno, 3)

    def _wrapped(self, node: ast.expr) -> Iterator[Edit]:
        """A step that the reference takes somewhere, taken here."""
        if isinstance(node, ast.Constant | ast.Slice | ast.Starred | ast.List | ast.Tuple):
            return
        if isinstance(getattr(node, "ctx", None), ast.Store) or self._is_called(node):
            return
        for before, after in self.words.steps():
            if before.removesuffix("(").isidentifier() and not self.raised:
                continue
            text = self.mine.of(node)
            if after.startswith(".") and not isinstance(node, ast.Name | ast.Attribute | ast.Call):
                text = text if isinstance(node, ast.Subscript) else f"({text})"
            yield from self._put(node, f"{before}{text}{after}")

    def _shifted(self, node: ast.expr) -> Iterator[Edit]:
        """A value negated; a bound one more or less."""
        named = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BinOp | ast.Subscript)
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if not named or stored or self._is_called(node):
            return
        text, outer = self.mine.of(node), self.mine.parents.get(node)
        if isinstance(node, ast.Name | ast.Attribute | ast.Call) and not self._owns(node, outer):
            yield from self._put(node, f"-{text}", 6)
        counts = isinstance(outer, ast.Call) and "range" in called(outer)
        if counts or isinstance(outer, ast.Slice | ast.Compare):
            yield from self._put(node, f"{text} + 1", 2)
            yield from self._put(node, f"{text} - 1", 2)

    def _owns(self, node: ast.expr, outer: ast.AST | None) -> bool:
        return isinstance(outer, ast.Attribute | ast.Subscript) and outer.value is node

    def _is_called(self, node: ast.expr) -> bool:
        outer = self.mine.parents.get(node)
        return isinstance(outer, ast.Call) and outer.func is node

    # ---- statements ----------------------------------------------------------------------------

    def around(self, node: ast.stmt) -> Iterator[Edit]:
        """Edits of a whole statement: its result assigned, itself left out, moved or shifted."""
        if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
            yield from self._assigned(node)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield from self._another_target(node, node.targets[0])
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from self._another_definition(node)
        block = self._block(node)
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
        shift = " " * (self.mine.indent(loop.body[0]) - self.mine.indent(node))
        lines = self.mine.data[start:end].decode().splitlines(keepends=True)
        moved = "".join(shift + line for line in lines)
        return Edit((Change(start, end, ""), Change(first, first, moved)), node.lineno, 8)

    def _assigned(self, node: ast.Expr) -> Iterator[Edit]:
        """A result that is thrown away, assigned or returned."""
        start, _ = self.mine.span(node)
        names = [one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)]
        for name in dict.fromkeys(names):
            yield Edit((Change(start, start, f"{name} = "),), node.lineno, 4)
        yield Edit((Change(start, start, "return "),), node.lineno, 5)

    def _another_definition(self, node: ast.FunctionDef | ast.ClassDef) -> Iterator[Edit]:
        """A function or class under a name that the reference has and the program lacks."""
        start, _ = self.mine.span(node)
        start = self.mine.data.index(node.name.encode(), start + len("def"))
        for name in nearest(node.name, self.words.undefined(node)):
            change = Change(start, start + len(node.name.encode()), name)
            yield Edit((change,), node.lineno, 4 + _unlike(node.name, name))

    def _another_target(self, node: ast.Assign, target: ast.Name) -> Iterator[Edit]:
        start, end = self.mine.span(target)
        for name in self.words.read_after(node, target.id):
            size = 3 + _unlike(target.id, name)
            yield Edit((Change(start, end, name),), node.lineno, size)
        if self.words.in_method(node) and target.id in self.words.own:
            yield Edit((Change(start, end, f"self.{target.id}"),), node.lineno, 4)
        if self.raised:
            end, _ = self.mine.span(node.value)
            yield Edit((Change(start, end, "return "),), node.lineno, 8)
            if isinstance(node.value, ast.Call):
                yield Edit((Change(start, end, ""),), node.lineno, 4)

    def _block(self, node: ast.stmt) -> list[ast.stmt]:
        outer = self.mine.parents.get(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list) and any(one is node for one in block):
                return block
        return []

    def _lines(self, node: ast.stmt) -> tuple[int, int]:
        return self.mine.start(node.lineno), self.mine.start((node.end_lineno or 0) + 1)


def _idle(outer: ast.AST | None) -> int | None:
    """The number that changes nothing as a part of an operation."""
    if not isinstance(outer, ast.BinOp):
        return None
    return 0 if isinstance(outer.op, ast.Add | ast.Sub) else 1


def nearest(name: str, others: Sequence[str]) -> list[str]:
    """The most similar of other names, the likest first."""
    rest = [one for one in dict.fromkeys(others) if one != name]
    return sorted(rest, key=lambda one: -_like(name, one))[:MOST_NAMES]


def _like(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, False).ratio()


def _unlike(one: str, other: str) -> int:
    return int(8 * (1 - _like(one, other)))
