"""Values of a program that is not run: each is an operation on other values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Expr:
    """One value: an operation on other values, with the line it is on.

    ``op`` is a canonical name (``matmul``, ``transpose``, ``softmax``, ``linear`` …), or
    ``param``, ``const``, ``attr`` (``self.x``), ``item``, ``list``, ``call`` (of ``name``),
    ``either``, ``unknown``. ``inside`` is what a call of the learner's own function returns.
    """

    op: str
    args: tuple[Expr, ...] = ()
    name: str = ""
    kwargs: tuple[tuple[str, Expr], ...] = ()
    value: Any = None
    line: int | None = None
    inside: Expr | None = None

    def argument(self, index: int, keyword: str) -> Expr | None:
        """The argument at ``index``, or the one named ``keyword``."""
        if index < len(self.args):
            return self.args[index]
        return dict(self.kwargs).get(keyword)


def walk(expr: Expr | None) -> Iterator[Expr]:
    """``expr`` and everything it is made of, each object once."""
    stack, seen = [expr], set()
    while stack:
        one = stack.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        stack += [*one.args, *(value for _, value in one.kwargs), one.inside]


def canonical(op: str, call: Expr) -> Expr:
    """One form for each way to write an operation, which ``call`` calls."""
    args, named = call.args, dict(call.kwargs)
    if op == "transpose":
        axes = [a.value for a in (*args[1:], *named.values())]
        known = all(isinstance(a, int) for a in axes) and len(axes) == 2
        return Expr(op, args[:1], value=frozenset(axes) if known else None, line=call.line)
    if op == "permute":
        order = args[1] if len(args) > 1 else named.get("dims", Expr("unknown"))
        moved = tuple(a.value for a in order.args)
        swapped = frozenset(i - len(moved) for i, m in enumerate(moved) if m != i)
        whole = all(isinstance(m, int) for m in moved) and len(swapped) == 2
        return Expr("transpose", args[:1], value=swapped if whole else None, line=call.line)
    return replace(call, op=op, name=op)


def item(value: Expr, index: int, line: int) -> Expr:
    """The part of ``value`` at a known index."""
    if (
        value.op == "list"
        and -len(value.args) <= index < len(value.args)
        and not any(arg.op in ("star", "repeated", "list") for arg in value.args)
    ):
        return value.args[index]
    if value.op == "list" and len(value.args) == 1 and value.args[0].op == "repeated":
        return value.args[0]
    where = Expr("const", value=index)
    return Expr("item", (value, where), value=index, line=line)


def either(values: list[Expr]) -> Expr:
    """One of these values; ``None`` if there is none."""
    if not values:
        return Expr("const")
    return values[0] if len(values) == 1 else Expr("either", tuple(values))


def merged(left: dict[str, Expr], right: dict[str, Expr]) -> dict[str, Expr]:
    """Names after two branches: if they differ, either may be meant."""
    merged = {}
    for name in left | right:
        a, b = left.get(name), right.get(name)
        if a is None or b is None or a is b:
            merged[name] = a if a is not None else b or Expr("unknown")
        else:
            merged[name] = Expr("either", (a, b))
    return merged
