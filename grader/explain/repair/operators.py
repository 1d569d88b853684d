"""Edits of operations and comparisons: another sign, the sides swapped, other brackets, a sum."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain.repair.edits import Change, Edit, of_kind
from grader.explain.repair.maker import Maker
from grader.explain.repair.vocabulary import called

OPERATORS: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-", "*")),
    ast.Sub: ("-", ("+",)),
    ast.Mult: ("*", ("/", "@", "+", "**")),
    ast.Div: ("/", ("*", "//")),
    ast.FloorDiv: ("//", ("/", "%")),
    ast.Mod: ("%", ("/",)),
    ast.MatMult: ("@", ("*",)),
    ast.Pow: ("**", ("*",)),
    ast.BitOr: ("|", ("&",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitXor: ("^", ("**",)),
}
"""Each operator's sign, and the signs of those that it is taken for."""
ORDERS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
OPPOSITES: dict[type[ast.cmpop], str] = {
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
COUNTING = ("range", "arange")
MOST_FACTORS = 6
"""Numbers of the reference that are tried as a factor."""
MOST_CHAINED = 6
"""Operands of a chain that gets other brackets."""


class Operators(Maker):
    """Edits of operations."""

    def of(self, node: ast.expr) -> Iterator[Edit]:
        """Edits of an operation by itself."""
        match node:
            case ast.BinOp():
                yield from self._operation(node)
                yield from self._bracketed(node)
                yield from self._grouped(node)
                yield from self._made_each_time(node)
                if isinstance(node.op, ast.Mult | ast.Div):
                    yield from self._factor(node)
            case ast.IfExp():
                yield from self._chosen(node)
            case ast.Compare(ops=[_]):
                yield from self._comparison(node)
            case ast.BoolOp():
                yield from self._joined(node)
        yield from self._absent(node)
        if self._is_test(node):
            yield from self._negated(node)
        yield from self._shifted(node)
        if isinstance(node, ast.Call) and called(node) in COUNTING:
            yield from self._counted(node)

    def _is_test(self, node: ast.expr) -> bool:
        """Whether a condition says no more than this."""
        outer: ast.AST | None = self.mine.parents.get(node)
        plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        whole: ast.AST = node
        while isinstance(outer, ast.BoolOp):
            whole, outer = outer, self.mine.parents.get(outer)
        return plain and whole in (getattr(outer, "test", None), *getattr(outer, "ifs", ()))

    @of_kind("negated")
    def _negated(self, node: ast.expr) -> Iterator[Edit]:
        """The other way round."""
        yield from self.put(node, f"not {self.mine.of(node)}", -2)

    @of_kind("range")
    def _counted(self, node: ast.Call) -> Iterator[Edit]:
        """Both bounds of a range further on, or back, by one."""
        match node.args:
            case [stop]:
                first = stop
                bounds = "0", self.mine.of(stop)
            case [first, stop, *_]:
                bounds = self.mine.of(first), self.mine.of(stop)
            case _:
                return
        (start, _), (_, end) = self.mine.span(first), self.mine.span(stop)
        lower, upper = bounds
        others = [
            (f"{lower}{one}".removeprefix("0 + "), f"{upper}{one}") for one in (" + 1", " - 1")
        ]
        others += [("1", upper)] if lower == "0" else []
        for one, other in others:
            yield Edit((Change(start, end, f"{one}, {other}"),), node.lineno, 4)

    @of_kind("sides")
    def _joined(self, node: ast.BoolOp) -> Iterator[Edit]:
        """``and`` for ``or``, or the other way round; or its sides swapped."""
        sign = "or" if isinstance(node.op, ast.And) else "and"
        yield from self._between(node.values[0], node.values[-1], sign)
        yield from self.swaps((node.values[0], node.values[-1]))

    @of_kind("none")
    def _absent(self, node: ast.expr) -> Iterator[Edit]:
        """Whether a value is None, in place of whether it is 0 or empty."""
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield from self.put(node, f"{self.mine.of(operand)} is None")
            case ast.BoolOp(op=ast.Or(), values=[ast.Name() as first, other]):
                one, two = self.mine.of(first), self.mine.of(other)
                yield from self.put(node, f"{two} if {one} is None else {one}")
            case _ if self._is_test(node):
                yield from self.put(node, f"{self.mine.of(node)} is not None")

    @of_kind("sides")
    def _operation(self, node: ast.BinOp) -> Iterator[Edit]:
        left, right = self.mine.of(node.left), self.mine.of(node.right)
        sign, others = OPERATORS.get(type(node.op), ("", ()))
        for other in others:
            yield from self._between(node.left, node.right, other)
        parts = (node.left, node.right)
        texts = any(isinstance(one, ast.JoinedStr | ast.Constant) for one in parts)
        if sign and (sign not in "+*" or (texts and sign == "+")):
            first, second = (
                f"({text})" if isinstance(part, ast.BinOp | ast.UnaryOp | ast.IfExp) else text
                for text, part in ((right, node.right), (left, node.left))
            )
            yield from self.put(node, f"{first} {sign} {second}", 2)

    @of_kind("operator")
    def _between(self, left: ast.expr, right: ast.expr, sign: str) -> Iterator[Edit]:
        """Another operator between two expressions."""
        _, start = self.mine.span(left)
        end, _ = self.mine.span(right)
        old = self.mine.data[start:end].decode()
        symbol = old.strip().strip("()").strip()
        if symbol and "\n" not in old and "(" not in symbol:
            text = old.replace(symbol, sign, 1)
            yield Edit((Change(start, end, text),), left.lineno, 6)

    def _comparison(self, node: ast.Compare) -> Iterator[Edit]:
        left, right = node.left, node.comparators[0]
        kind = type(node.ops[0])
        others = [OPPOSITES[kind]] if kind in OPPOSITES else ORDERS.values()
        for sign in others:
            if sign != ORDERS.get(kind):
                yield from self._between(left, right, sign)

    @of_kind("brackets")
    def _grouped(self, node: ast.BinOp) -> Iterator[Edit]:
        """A chain of operations with brackets around another part of it, or without any."""
        parts = list(self._chain(node))
        leaves = len(parts) // 2 + 1
        if isinstance(self.mine.parents.get(node), ast.BinOp) or not 2 < leaves <= MOST_CHAINED:
            return
        yield from self.put(node, " ".join(parts), 2)
        for first in range(leaves):
            for last in range(first + 1, leaves):
                if (first, last) != (0, leaves - 1):
                    some = parts.copy()
                    some[2 * first] = f"({some[2 * first]}"
                    some[2 * last] += ")"
                    yield from self.put(node, " ".join(some), 2)

    def _chain(self, node: ast.expr) -> Iterator[str]:
        """The operands and operators of an operation, in their order, without brackets."""
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            yield from self._chain(node.left)
            yield OPERATORS[type(node.op)][0]
            yield from self._chain(node.right)
        else:
            loose = isinstance(node, ast.IfExp | ast.Lambda | ast.BinOp | ast.Compare | ast.BoolOp)
            yield f"({self.mine.of(node)})" if loose else self.mine.of(node)

    @of_kind("brackets")
    def _chosen(self, node: ast.IfExp) -> Iterator[Edit]:
        """``a + (b if c else d)`` for ``a + b if c else d``, and the same at its end."""
        body, test, other = map(self.mine.of, (node.body, node.test, node.orelse))
        match node.body:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                inner = f"({self.mine.of(right)} if {test} else {other})"
                yield from self.put(node, f"{self.mine.of(left)} {OPERATORS[type(op)][0]} {inner}")
        match node.orelse:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                inner = f"({body} if {test} else {self.mine.of(left)})"
                yield from self.put(node, f"{inner} {OPERATORS[type(op)][0]} {self.mine.of(right)}")

    @of_kind("brackets")
    def _bracketed(self, node: ast.BinOp) -> Iterator[Edit]:
        """``f(a / b)`` for ``f(a) / b``, and the reverse."""
        sign = OPERATORS.get(type(node.op), ("",))[0]
        left, right = self.mine.of(node.left), self.mine.of(node.right)
        match node:
            case ast.BinOp(left=ast.Call(args=[a]), right=ast.Call(args=[b])) if sign:
                name = self.mine.of(node.left.func)  # type: ignore[attr-defined]
                if name == self.mine.of(node.right.func):  # type: ignore[attr-defined]
                    inside = f"{self.mine.of(a)} {sign} {self.mine.of(b)}"
                    yield from self.put(node, f"{name}({inside})", 2)
        last = _last(node.left)
        if left.endswith(")") and isinstance(last, ast.Call):
            yield from self.put(node, f"{left[:-1]} {sign} {right})", 2)
            if last is node.left and last.args and (len(last.args) > 1 or last.keywords):
                _, at = self.mine.span(last.args[0])
                start, end = self.mine.span(last)
                text = self.mine.data[start:end].decode()
                first = self.mine.data[start:at].decode()
                yield from self.put(node, f"{first} {sign} {right}{text[len(first) :]}", 2)
        outer = self.mine.parents.get(node)
        if isinstance(outer, ast.Call) and outer.args == [node] and not outer.keywords:
            inside = f"{self.mine.of(outer.func)}({left})"
            yield from self.put(outer, f"{inside} {sign} {right}", 2)

    @of_kind("comprehension")
    def _made_each_time(self, node: ast.BinOp) -> Iterator[Edit]:
        """``[x for _ in range(n)]`` for ``[x] * n``, which has one ``x`` in every place."""
        match node:
            case ast.BinOp(left=ast.List(elts=[item]), op=ast.Mult(), right=times):
                text = f"[{self.mine.of(item)} for _ in range({self.mine.of(times)})]"
                yield from self.put(node, text)

    @of_kind("factor")
    def _factor(self, node: ast.BinOp) -> Iterator[Edit]:
        """A number of the reference as one factor more."""
        for number in ("2", "0.5", *self.words.numbers[:MOST_FACTORS]):
            yield from self.put(node, f"{number} * {self.mine.of(node)}", 2)

    @of_kind("shift")
    def _shifted(self, node: ast.expr) -> Iterator[Edit]:
        """A value negated; a bound or what is given one more or less."""
        named = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BinOp | ast.Subscript)
        stored = not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if not named or stored or self.is_called(node):
            return
        text, outer = self.mine.of(node), self.mine.parents.get(node)
        signed = isinstance(node, ast.Name | ast.Attribute | ast.Call)
        if signed and not self.raised and not _owns(node, outer):
            yield from self.put(node, f"-{text}", 6)
        counts = isinstance(outer, ast.Call) and called(outer) in COUNTING
        place = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
        kept = place and isinstance(outer, ast.Assign)
        bound = counts or kept or isinstance(outer, ast.Slice | ast.Compare)
        given = isinstance(outer, ast.keyword | ast.AnnAssign | ast.Call | ast.BinOp)
        given |= isinstance(outer, ast.List | ast.Return | ast.Assign) and not self.raised
        if isinstance(outer, ast.Subscript) and node is outer.slice:
            yield from self.put(node, f"{text} - 1", -2)
            yield from self.put(node, f"{text} + 1", -2)
        if bound or given:
            yield from self.put(node, f"{text} + 1", 2 if bound else 6)
            yield from self.put(node, f"{text} - 1", 2 if bound else 6)


def _last(node: ast.expr) -> ast.expr:
    """The part of an expression that stands at its end."""
    return _last(node.right) if isinstance(node, ast.BinOp) else node


def _owns(node: ast.expr, outer: ast.AST | None) -> bool:
    return isinstance(outer, ast.Attribute | ast.Subscript) and outer.value is node
