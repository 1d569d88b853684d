"""Patterns: a line of Python with gaps, compared with the values in a learner's program.

``pattern("_ / math.sqrt(_.shape[-1])")`` tests one value: it must be a quotient, and its divisor
must be made with the root of the last size of a shape. The tracer that reads the learner's file
also reads the snippet, so names, imports, helpers and spellings do not matter: ``_ @ _`` matches
``F.matmul(a, b)`` too.

``_``                    anything
``mask``                 the parameter of this name
``self.bias``            the attribute of this name
``F.gelu(...)``          a call of anything with a name ending so: a function, a method or a layer
``3``, ``"tanh"``        this constant
``a | b``                either, anywhere in a snippet; ``(_ == _) | (_ != _)`` needs parentheses
``f(_, axis=-1)``        these arguments, by position or by name, and no others
``f(_, ...)``            any further arguments; likewise in a list
``f(..., x)``            some argument, wherever it is; likewise in a list
``$width``               a value that ``where={"width": …}`` describes, by a snippet or a function;
                         without ``where`` any value, the same each time: ``Linear($n, $n)``

Constants, ``_`` and ``$names`` stand for the whole operand. Anything else may be wrapped: ``_ +
causal_mask(...)`` is a sum with one side *made with* the mask, perhaps cast, scaled or chosen from
two. ``+`` and ``*`` match in either order, but lists are joined in the order written.

``without="F.softmax(...)"`` rejects a value with a match of this anywhere inside: what is left
comes before the softmax. ``rank=4`` is the number of dimensions, so that -1 matches 3 as well.

:func:`written` tests the syntax itself, for what is not followed as a value. It takes the same
snippets, without ``$``; there, nothing may be wrapped.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from grader import frameworks
from grader.source.expr import Expr, walk
from grader.source.symbolic_eval import Tracer

Pattern = Callable[[Expr], bool]
Snippet = str | Pattern
Written = str | Callable[[ast.AST], bool]
Where = Mapping[str, Snippet]

ROLE = "role_"
"""What replaces ``$`` while Python reads a snippet."""

NAMED, VALUED = ("call", "attr", "param", "global"), ("const", "transpose", "slice")
"""Operations distinguished by a name or by their own value."""


def pattern(
    *snippets: Snippet,
    without: Snippet | None = None,
    where: Where | None = None,
    rank: int = 0,
) -> Pattern:
    """Whether a value matches one of the snippets. A function from value to bool is a snippet too.

    Nothing is read before the first value.

    Raises:
        SyntaxError: on the first value, if a snippet is not a Python expression.
    """
    roles = {name: _snippet(one, {}, rank) for name, one in (where or {}).items()}
    wanted = [_snippet(one, roles, rank) for one in snippets]
    unwanted = _snippet(without, roles, rank) if without is not None else None

    def matches(e: Expr) -> bool:
        return any(one(e) for one in wanted) and (unwanted is None or not made_with(e, unwanted))

    return matches


def made_with(e: Expr | None, found: Pattern) -> bool:
    """Whether ``e``, or something it is made of, is ``found``."""
    return any(found(one) for one in walk(e))


def written(*snippets: Written) -> Callable[[ast.AST], bool]:
    """Whether a node of a syntax tree is written like one of the snippets."""

    def matches(node: ast.AST) -> bool:
        return any(
            _alike(_read(one), node) if isinstance(one, str) else one(node) for one in snippets
        )

    return matches


def _snippet(text: Snippet, roles: Mapping[str, Pattern], rank: int) -> Pattern:
    if not isinstance(text, str):
        return text

    def matches(e: Expr) -> bool:
        return any(_Attempt(roles, rank).is_(one, e) for one in _values(text).get(e.op, ()))

    return matches


# ---- reading ------------------------------------------------------------------------------


@cache
def _read(text: str) -> ast.expr:
    return ast.parse(re.sub(r"\$(?=\w)", ROLE, text), mode="eval").body


@cache
def _tracer() -> Tracer:
    return Tracer(ast.parse(_spellings().imports), _spellings())


@cache
def _spellings() -> frameworks.Spellings:
    return frameworks.current().spellings()


@cache
def _values(text: str) -> Mapping[str, Sequence[Expr]]:
    """What the snippet stands for: each of its choices, under its operation."""
    tree = _read(text)
    found: dict[str, list[Expr]] = {}
    for one in _choices(_tracer().read(tree, dict(_gaps(tree)))):
        found.setdefault(one.op, []).append(one)
    return found


def _choices(e: Expr) -> list[Expr]:
    return [one for arg in e.args for one in _choices(arg)] if e.op == "or" else [e]


def _gaps(tree: ast.expr) -> Iterator[tuple[str, Expr]]:
    """What each name of a snippet stands for, except functions and modules."""
    nodes = list(ast.walk(tree))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        match node:
            case ast.Name(id="_"):
                yield "_", Expr("anything")
            case ast.Name(id="self"):
                yield "self", Expr("self")
            case ast.Name(id=name) if name.startswith(ROLE):
                yield name, Expr("role", name=name.removeprefix(ROLE))
            case ast.Name(id=name) if id(node) not in called and not _tracer().knows(name):
                yield name, Expr("param", name=name)


# ---- matching -----------------------------------------------------------------------------

Pairs = list[tuple[Expr, Expr | None]]


@dataclass
class _Attempt:
    """A snippet matched against a value: what each ``$name`` must be, and what it is so far."""

    roles: Mapping[str, Pattern]
    rank: int
    bound: dict[str, Expr] = field(default_factory=dict)

    def is_(self, part: Expr, e: Expr) -> bool:
        """Whether ``e`` itself matches ``part``."""
        match part.op:
            case "anything":
                return e.op != "star"
            case "or":
                return any(self.is_(one, e) for one in part.args)
            case "role":
                role = self.roles.get(part.name)
                return role(e) if role else _same(self.bound.setdefault(part.name, e), e)
        return (
            part.op == e.op
            and (part.op not in NAMED or _called(part) == _called(e))
            and (part.op not in VALUED or self._value(part) in (..., self._value(e)))
            and any(self._hold(pairs) for pairs in _laid(part, e))
        )

    def has(self, part: Expr, e: Expr) -> bool:
        """Whether ``e`` is made with ``part``; for a gap or a constant, whether it is ``part``."""
        if part.op == "or":
            return any(self.has(one, e) for one in part.args)
        if part.op in ("anything", "role", "const"):
            return self.is_(part, e)
        return any(one.op == part.op and self.is_(part, one) for one in walk(e))

    def _value(self, e: Expr) -> object:
        """The operation alone, dimensions counted from the front; ... if anything."""
        match e.value:
            case frozenset() as axes:
                return frozenset(self._axis(axis) for axis in axes)
            case None | (None, None) if e.op != "const":
                return ...
            case bool() | float():
                return type(e.value), e.value
        return self._axis(e.value)

    def _axis(self, value: object) -> object:
        return value + self.rank if type(value) is int and value < 0 else value

    def _hold(self, pairs: Pairs) -> bool:
        before = dict(self.bound)
        if all(e is not None and self.has(part, e) for part, e in pairs):
            return True
        self.bound = before
        return False


def _laid(part: Expr, e: Expr) -> Iterator[Pairs]:
    """The ways to match the parts of a snippet with those of a value."""
    names = _spellings().parameters.get(_called(part) or part.op, ())
    named = [
        (value, e.argument(names.index(key) if key in names else len(e.args), key))
        for key, value in part.kwargs
    ]
    parts = [one for one in part.args if not _is_rest(one)]
    if len(parts) == len(part.args) and len(parts) + len(named) != len(e.args) + len(e.kwargs):
        return
    if part.args and _is_rest(part.args[0]):
        every = (*e.args, *(value for _, value in e.kwargs))
        for some in product(every, repeat=len(parts)):
            yield [*zip(parts, some, strict=True), *named]
        return
    given = [e.argument(i, names[i] if i < len(names) else "") for i in range(len(parts))]
    yield [*zip(parts, given, strict=True), *named]
    if part.op == "mul" or (part.op == "add" and all(one.op != "list" for one in parts)):
        yield [*zip(parts, reversed(given), strict=True), *named]


def _is_rest(e: Expr) -> bool:
    return e.op == "const" and e.value is ...


def _same(left: Expr, right: Expr) -> bool:
    """Whether two values are written the same, wherever they are.

    Each pair of objects is compared once: ``a = a + a`` on 40 lines is a value of 40 objects
    and of 2^40 parts.
    """
    pairs, seen = [(left, right)], set()
    while pairs:
        one, other = pairs.pop()
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        if (one.op, one.name, one.value) != (other.op, other.name, other.value):
            return False
        if len(one.args) != len(other.args):
            return False
        pairs += zip(one.args, other.args, strict=True)
    return True


def _alike(part: object, node: object) -> bool:
    """Whether a piece of syntax is written like ``part``. Names are compared by their ends."""
    match part, node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right), _:
            return _alike(left, node) or _alike(right, node)
        case ast.Name(id="_"), ast.expr():
            return True
        case ast.Attribute(value=ast.Name(id="_"), attr=name), ast.Attribute():
            return name == node.attr
        case ast.Name() | ast.Attribute(), ast.Name() | ast.Attribute():
            return last_name(part) == last_name(node)
        case ast.Call(args=[ast.Constant(value=value)]), ast.Call() if value is ...:
            return _alike(part.func, node.func)
        case list(), list():
            return len(part) == len(node) and all(map(_alike, part, node))
        case ast.AST(), ast.AST():
            return type(part) is type(node) and all(
                _alike(value, getattr(node, name)) for name, value in ast.iter_fields(part)
            )
    return part == node


def last_name(node: ast.AST) -> str:
    """``softmax`` for ``F.softmax`` and for ``softmax``; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _called(e: Expr) -> str:
    """``gelu`` for ``F.gelu``; for what is not called, the whole name: ``math.inf``."""
    return e.name if e.op == "global" else e.name.rpartition(".")[2]
