"""Changes to the text of a program, and code rewritten in other names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import NamedTuple, ParamSpec

from grader.explain.trace.program import Program


class Change(NamedTuple):
    """The bytes from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Edit:
    """A small change of a program, of some ``kind``, ``size`` and ``line``."""

    changes: tuple[Change, ...]
    line: int
    size: int
    kind: str = ""

    def __add__(self, other: Edit) -> Edit:
        return Edit(
            tuple(sorted({*self.changes, *other.changes})),
            min(self.line, other.line),
            self.size + other.size,
        )


P = ParamSpec("P")
Makes = Callable[P, Iterator[Edit]]


@dataclass(frozen=True)
class Text(Program):
    """A program to be changed."""

    @staticmethod
    @lru_cache(8)
    def of_source(source: str) -> Text:
        """The same program for the same text: what is worked out of it is kept with it."""
        return Text(source)

    def indent(self, node: ast.AST) -> int:
        """How many columns are before the line on which a node begins."""
        line = self.data[self.start(node.lineno) :]  # type: ignore[attr-defined]
        return len(line) - len(line.lstrip(b" \t"))

    def applied(self, edit: Edit) -> str:
        """The program after an edit.

        Raises:
            ValueError: two of its changes overlap.
        """
        return self.part((0, len(self.data)), edit.changes)

    def part(self, span: tuple[int, int], changes: Iterable[Change]) -> str:
        """A piece of the program after changes inside it.

        Raises:
            ValueError: two of them overlap.
        """
        pieces, at = [], span[0]
        for change in sorted(changes):
            if change.start < at:
                raise ValueError("changes overlap")
            pieces += [self.data[at : change.start], change.text.encode()]
            at = change.end
        return b"".join([*pieces, self.data[at : span[1]]]).decode()


def expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, of a block those of its head."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.expr):
            yield node
        todo += [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.stmt)]


def of_kind(kind: str) -> Callable[[Makes[P]], Makes[P]]:
    """Say of which kind the edits are that a function makes, where none is said yet."""

    def decorated(makes: Makes[P]) -> Makes[P]:
        @wraps(makes)
        def made(*args: P.args, **kwargs: P.kwargs) -> Iterator[Edit]:
            for edit in makes(*args, **kwargs):
                yield edit if edit.kind else replace(edit, kind=kind)

        return made

    return decorated


# ---- the operators that need brackets around a part ----------------------------------------------

LEVELS: tuple[tuple[type[ast.AST], ...], ...] = (
    (ast.NamedExpr, ast.Lambda, ast.Yield, ast.YieldFrom),
    (ast.IfExp,),
    (ast.Or,),
    (ast.And,),
    (ast.Not,),
    (ast.Compare,),
    (ast.BitOr,),
    (ast.BitXor,),
    (ast.BitAnd,),
    (ast.LShift, ast.RShift),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult),
    (ast.USub, ast.UAdd, ast.Invert),
    (ast.Pow,),
)
TIGHT = len(LEVELS)


def level(node: ast.AST) -> int:
    """How tightly an expression holds together."""
    kind = type(getattr(node, "op", node))
    return next((number for number, kinds in enumerate(LEVELS) if kind in kinds), TIGHT)


def bracketed(outer: ast.AST | None, old: ast.AST, new: ast.expr, text: str) -> str:
    """``text`` of ``new``, in brackets if it replaces ``old`` inside ``outer``."""
    inside = level(new)
    if isinstance(outer, ast.Attribute | ast.Subscript) and old is outer.value:
        loose = inside < TIGHT or (isinstance(new, ast.Constant) and isinstance(new.value, int))
    elif isinstance(outer, ast.Call):
        loose = old is outer.func and inside < TIGHT
    elif isinstance(outer, ast.BinOp):
        strict = old is outer.right or isinstance(outer.op, ast.Pow)
        loose = inside < level(outer) or (strict and inside == level(outer))
    elif isinstance(outer, ast.UnaryOp | ast.Compare | ast.BoolOp):
        loose = inside <= level(outer)
    else:
        loose = isinstance(new, ast.Tuple) and not text.startswith("(") and outer is not None
    return f"({text})" if loose else text


# ---- code in other names -------------------------------------------------------------------------


@dataclass
class Names:
    """What the learner calls the names of the reference, and the attributes of its objects."""

    names: dict[str, str]
    attributes: dict[str, str]

    def name(self, name: str) -> str:
        """The learner's name."""
        return self.names.get(name, name)

    def attribute(self, node: ast.Attribute) -> str:
        """The learner's attribute: only an object's own ones are called otherwise."""
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        return self.attributes.get(node.attr, node.attr) if own else node.attr


def written(text: Text, node: ast.AST, names: Names, indent: int | None = None) -> str:
    """The text of ``node`` in the learner's names, its further lines ``indent`` columns in."""
    start, end = text.span(node)
    pieces, at = [], start
    for one in sorted(renamed(text, node, names)):
        pieces += [text.data[at : one.start].decode(), one.text]
        at = one.end
    found = "".join([*pieces, text.data[at:end].decode()])
    if indent is None or "\n" not in found:
        return found
    first, *rest = found.split("\n")
    shift = indent - text.indent(node)
    moved = (" " * (len(one) - len(one.lstrip()) + shift) + one.lstrip() for one in rest)
    return "\n".join([first, *(one if one.strip() else "" for one in moved)])


def renamed(text: Program, node: ast.AST, names: Names) -> Iterator[Change]:
    """The changes that put the learner's names in place of the reference's."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and names.name(one.id) != one.id:
            yield Change(*text.span(one), names.name(one.id))
        elif isinstance(one, ast.arg) and names.name(one.arg) != one.arg:
            start, _ = text.span(one)
            yield Change(start, start + len(one.arg.encode()), names.name(one.arg))
        elif isinstance(one, ast.Attribute) and names.attribute(one) != one.attr:
            _, end = text.span(one)
            yield Change(end - len(one.attr.encode()), end, names.attribute(one))
