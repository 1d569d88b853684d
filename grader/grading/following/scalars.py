"""Where a wrong plain number comes from: the line that works it out, not the one that uses it.

A size, a scale or an epsilon is handed on from line to line before it makes a tensor wrong. It is
followed back through variables, attributes and calls, as long as it is the number that is wrong.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from grader.grading.following.cause import Cause
from grader.grading.following.kinds import spelled
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import (
    around,
    bound,
    callee,
    functions,
)
from grader.grading.reading.program import parameters
from grader.source.variables import read

FARTHEST = 8
"""Lines that a number is followed back through."""

DIVISOR = re.compile("root|sqrt|div|denom|temp|norm|dim|width|size", re.IGNORECASE)
"""Names of numbers that others are divided by."""

INVERSE = re.compile("inv|rcp|recip|over|rsqrt", re.IGNORECASE)
"""Names of what is one over such a number."""

HUGE = 1e30
"""Beyond this a number is there to hide something, and its sign counts."""

OF_SIZE: tuple[Callable[[float], float], ...] = (float, math.sqrt)
"""What is made of a size; one over that counts as the same."""

AS_IT_IS = (
    ast.Attribute,
    ast.Name,
    ast.expr_context,
    ast.Call,
    ast.ListComp,
    ast.GeneratorExp,
    ast.comprehension,
)
"""What may be written around a shape whose numbers stay what they are."""


@dataclass(frozen=True)
class Origin:
    """The ``line`` that gives ``name`` its wrong number; ``want`` is the reference's, if known."""

    line: int
    name: str
    have: tuple[float, ...]
    want: tuple[float, ...] = ()
    said: str = ""

    def __str__(self) -> str:
        if self.said:
            return self.said
        said = f"{self.name} is {_told(self.have)}, from line {self.line}"
        return f"{said}; the reference has {_told(self.want)} here." if self.want else f"{said}."


@dataclass(frozen=True)
class Scalars:
    """Looks for the origins of wrong numbers in one comparison."""

    comparison: Comparison

    @property
    def mine(self) -> Run:
        """The learner's run."""
        return self.comparison.mine

    def of(self, cause: Cause, order: int) -> Origin | None:
        """Where the numbers come from that make the cause wrong, as entry ``order`` of the run.

        None if they are right, come from different lines, or from the line of the cause itself.
        """
        node = self.mine.nodes[cause.node]
        twin = self._around_twin(cause)
        meant = twin or self._meant(node, order)
        if meant and (axis := self.of_axis(node, order, meant)) is not None:
            return axis
        times = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
        bad = frozenset(
            value
            for leaf in self._leaves(node, twin)
            for value in self.mine.held(leaf, order)
            if (times and not value)  # nothing is left of what is multiplied by 0
            or not (
                among(value, self._as_given(cause, leaf) or self._beside(leaf, node, twin))
                or self._as_there(leaf, value)
            )
            if value not in self._own_sizes or value in self._known
        )
        found = [
            origin
            for leaf in self._leaves(node)
            if bad.intersection(self.mine.held(leaf, order))
            and (origin := self._from(leaf, bad, order, FARTHEST)) is not None
        ]
        if not found or len({one.line for one in found}) > 1:
            return None
        if found[0].line == self.mine.line(cause.node) or self._is_proven(found[0].line):
            return None
        own = [one for leaf in self._leaves(node) for one in self.mine.held(leaf, order)]
        own += [one for inner in ast.walk(node) for one in _written(inner)]
        lacks = {one for one in twin if not among(one, own)}
        said = len(lacks) == 1 and found[0].have == (*bad,)
        return replace(found[0], want=tuple(lacks)) if said else found[0]

    def _meant(self, node: ast.AST, order: int) -> tuple[float, ...]:
        """The number to divide by, where what comes out is a multiple of a value of the reference.

        The reference may do so by an operation of its own, such as a mean.
        """
        values = self.mine.values(self.mine.numbers[node])
        relation = self.comparison.relation(values[-1]) if values else None
        if relation is None or relation.kind != "scaled" or not isinstance(node, ast.BinOp):
            return ()
        held = self.mine.held(self.mine.numbers[node.right], order)
        if not isinstance(node.op, ast.Div) or len(held) != 1:
            return ()
        return (held[0] * relation.factor,)

    def of_axis(self, node: ast.AST, order: int, wanted: Sequence[float]) -> Origin | None:
        """The line that takes the size of another axis of a tensor than the one that would do."""
        own = functions(self.mine.tree)
        calls = (self.mine.numbers[one] for one in ast.walk(node) if callee(one) in own)
        leaves = [*self._leaves(node), *calls]
        there = [one for leaf in leaves for one in self.mine.held(leaf, order)]
        lacks = [one for one in wanted if not among(one, there)] or wanted
        for leaf in leaves:
            held, name = self.mine.held(leaf, order), self.mine.of(self.mine.nodes[leaf])
            for one in self._shapes(self.mine.nodes[leaf]):
                shape, axis = self._taken(one)
                if len(held) != 1 or among(held[0], wanted) or not shape:
                    continue
                ways = [way for way in OF_SIZE if among(way(shape[axis]), held)]
                other = [n - len(shape) for n, s in enumerate(shape) if n != axis % len(shape)]
                other = [n for n in other if any(among(way(shape[n]), lacks) for way in ways)]
                if len(other) != 1 or self._is_proven(one.lineno):
                    continue
                text, owner = ast.unparse(one), ast.unparse(one.value)
                said = f"Line {one.lineno} takes {text}, which is {shape[axis]} here. The reference"
                said = f"{said} takes {shape[other[0]]}, as {owner}[{other[0]}] is."
                return Origin(one.lineno, name, held, said=said)
        return None

    def _taken(self, node: ast.Subscript) -> tuple[tuple[int, ...], int]:
        """The shape of the tensor of which an axis is taken, and which axis; else no shape."""
        owner = node.value.value if isinstance(node.value, ast.Attribute) else node.value
        arrays = [self.mine.arrays[one] for one in self.mine.values(self.mine.numbers[owner])]
        shape = () if not arrays or arrays[-1] is None else arrays[-1].shape
        try:
            axis = ast.literal_eval(node.slice)
        except ValueError:
            return (), 0
        known = isinstance(axis, int) and -len(shape) <= axis < len(shape)
        return (shape, axis) if known else ((), 0)

    def _shapes(self, node: ast.AST) -> Iterator[ast.Subscript]:
        """The ``x.shape[1]`` that an expression is worked out from, also by helpers of the file."""
        todo, seen, own = [node], set[ast.AST](), functions(self.mine.tree)
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            if isinstance(one, ast.Subscript) and getattr(one.value, "attr", "") == "shape":
                yield one
                continue
            if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Load):
                made = bound(self.mine.tree, self.mine.of(one), one.lineno)
                todo += [_part(made, self.mine.of(one))] if isinstance(made, ast.Assign) else []
            helper = own.get(callee(one))
            ends = ast.walk(helper) if helper is not None else ()
            todo += [end for end in ends if isinstance(end, ast.Return)]
            todo += ast.iter_child_nodes(one)

    def number(self, node: int, order: int, want: float) -> int | None:
        """The one line that the plain number in an expression comes from.

        None if that is the one that the reference has: then the expression makes it wrong. So it
        does with one over that, unless it multiplies by what is not called a divisor.
        """
        whole = self.mine.nodes[node]
        leaves = [one for one in self._leaves(whole) if not self.mine.gave(one)]
        times = spelled(whole) == "Mult"
        for one in leaves:
            name = self.mine.of(self.mine.nodes[one])
            asked = times and self.mine.parents.get(self.mine.nodes[one]) is whole
            asked = asked and (DIVISOR.search(name) is None or INVERSE.search(name) is not None)
            for held in self.mine.held(one, order):
                inverse = want and math.isclose(held, 1 / want, rel_tol=1e-6)
                if among(held, (want,)) and not (asked and inverse):
                    return None
        found = [
            self._from(one, frozenset(self.mine.held(one, order)), order, FARTHEST)
            for one in leaves
            if not all(self._as_there(one, held) for held in self.mine.held(one, order))
        ]
        lines = {one.line for one in found if one is not None}
        return lines.pop() if len(lines) == 1 and len(found) == 1 else None

    @cached_property
    def _known(self) -> tuple[float, ...]:
        """Every plain number of the reference, and every size of its tensors."""
        right = self.comparison.right
        seen = {scalar.value for some in right.scalars.values() for scalar in some}
        written = {one for node in right.nodes for one in _written(node)}
        sizes = {float(size) for one in right.arrays if one is not None for size in one.shape}
        return tuple(seen | written | sizes)

    @cached_property
    def _own_sizes(self) -> frozenset[float]:
        """The sizes of the program's own values that are right, in whatever shape."""
        mine = self.mine
        known = (mine.arrays[value] for value in mine.made if self.comparison.known(value))
        return frozenset(float(size) for one in known if one is not None for size in one.shape)

    def _is_proven(self, line: int) -> bool:
        """Whether a line is in a function that is right alone."""
        inside = around(self.mine.tree, line)
        return inside is not None and inside.name in self.comparison.proven - {"__call__"}

    def _as_there(self, leaf: int, value: float) -> bool:
        """Whether the reference's variable or attribute of this name has the number too."""
        return value in self._named.get(self.mine.of(self.mine.nodes[leaf]), ())

    @cached_property
    def _named(self) -> Mapping[str, Set[float]]:
        """The plain numbers of the reference's variables and own attributes, by name."""
        right = self.comparison.right
        found: dict[str, set[float]] = {}
        for number, some in right.scalars.items():
            if _is_variable(right.nodes[number]):
                name = right.of(right.nodes[number])
                found.setdefault(name, set()).update(one.value for one in some)
        return found

    def _around_twin(self, cause: Cause) -> tuple[float, ...]:
        """The plain numbers in the reference's same operation on the same values, if it has one."""
        right = self.comparison.right
        if cause.twin is None or cause.want is not None:
            return ()
        inner = [right.numbers[one] for one in ast.walk(right.nodes[cause.twin])]
        seen = [scalar.value for one in inner for scalar in right.scalars.get(one, ())]
        written = [one for node in ast.walk(right.nodes[cause.twin]) for one in _written(node)]
        return tuple({*seen, *written})

    def _beside(self, leaf: int, node: ast.AST, twin: tuple[float, ...]) -> tuple[float, ...]:
        """The numbers, one of which a variable in an expression is to be: those of its ``twin``.

        Where a helper of the file takes it, that may work out another: all of the reference.
        """
        own, outer = functions(self.mine.tree), self.mine.parents.get(self.mine.nodes[leaf])
        while outer is not None and outer is not node and isinstance(outer, ast.expr):
            if callee(outer) in own:
                return self._known
            outer = self.mine.parents.get(outer)
        return twin or self._known

    def _as_given(self, cause: Cause, leaf: int) -> tuple[float, ...]:
        """The plain numbers that the reference's same call gives in the place of this argument."""
        right = self.comparison.right
        mine = self.mine.nodes[cause.node]
        twin = None if cause.twin is None else right.nodes[cause.twin]
        if not isinstance(mine, ast.Call) or not isinstance(twin, ast.Call):
            return ()
        if len(mine.args) != len(twin.args):
            return ()
        for given, there in zip(mine.args, twin.args, strict=True):
            if given is self.mine.nodes[leaf]:
                return tuple({one.value for one in right.scalars.get(right.numbers[there], ())})
        return ()

    def _is_right(self, number: int, right: Sequence[float]) -> bool:
        """Whether what an expression worked out is among the right numbers."""
        held = self.mine.held(number)
        return bool(held) and all(among(one, right) for one in held)

    def _leaves(self, node: ast.AST, right: Sequence[float] = ()) -> Iterator[int]:
        """The variables and own attributes in an expression that held plain numbers.

        Not those of a product or a sum that is among the ``right`` numbers.
        """
        todo = [node]
        while todo:
            one = todo.pop()
            number = self.mine.numbers[one]
            if isinstance(one, ast.BinOp) and right and self._is_right(number, right):
                continue
            if number in self.mine.scalars and _is_variable(one):
                yield number
            elif one is node or not self.mine.gave(number):
                todo += ast.iter_child_nodes(one)

    # ---- back through the lines ----------------------------------------------------------------

    def _from(self, leaf: int, bad: frozenset[float], order: int, most: int) -> Origin | None:
        """Where the wrong number of a variable or an attribute comes from."""
        node, have = self.mine.nodes[leaf], self.mine.held(leaf, order)
        name = self.mine.of(node)
        if not most:
            return None
        statement = self._set_by(name, leaf, have)
        if statement is None:
            return self._handed(node, bad) if isinstance(node, ast.Name) else None
        value: ast.AST = getattr(statement, "value", None) or statement
        if isinstance(statement, ast.For) or self._measures(value):
            return None  # the number of a turn, or a size of what is right, is not what is wrong
        bad = bad if _hands_on(value) else frozenset()
        return Origin(statement.lineno, name, have)

    def _set_by(self, name: str, leaf: int, have: Sequence[float]) -> ast.stmt | None:
        """The statement that gives a variable its number; that one, of several for an attribute."""
        first = bound(self.mine.tree, name, self.mine.line(leaf))
        several = [
            one
            for one in self.mine.nodes
            if isinstance(one, ast.Assign) and name in map(ast.unparse, one.targets)
        ]
        gave = [one for one in several if self._values(one.value) == tuple(have)]
        return gave[0] if name.startswith("self.") and len(gave) == 1 else first

    def _measures(self, value: ast.AST) -> bool:
        """Whether an expression is the whole shape of a tensor that is right; or its ints."""
        shapes = [one for one in ast.walk(value) if getattr(one, "attr", "") == "shape"]
        if len(shapes) != 1 or not all(isinstance(one, AS_IT_IS) for one in ast.walk(value)):
            return False
        owner = getattr(shapes[0], "value", value)
        given = self.mine.values(self.mine.numbers[owner])
        return bool(given) and all(map(self.comparison.known, given))

    def _handed(self, node: ast.Name, bad: frozenset[float]) -> Origin | None:
        """Where an argument comes from: from a call in the file, or from a default."""
        function = self.mine.around(node)
        if function is None or node.id not in parameters(function):
            return None
        found: list[Origin] = []
        for call, given in self._calls(function, node.id):
            values = self._values(given)
            if self._any_wrong(values, bad):
                # on that line, the name may stand for another number: N, of which N - 1 is given
                name = ast.unparse(given) if node.id in read(given) else node.id
                found.append(Origin(call.lineno, name, values))
        return found[0] if len({one.line for one in found}) == 1 else None

    def _any_wrong(self, values: Sequence[float], bad: frozenset[float]) -> bool:
        """Whether one of these is the wrong number, or another that the reference has nowhere."""
        return any(one in bad or not among(one, self._known) for one in values)

    def _values(self, node: ast.expr) -> tuple[float, ...]:
        return self.mine.held(self.mine.numbers[node]) or _written(node)

    def _calls(self, function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.Call, ast.expr]]:
        """The calls of a function in the file, with what they give for a parameter."""
        names = parameters(function)
        at = names.index(name) - (names[0] == "self")
        outer = self.mine.parents.get(function)
        of_class = isinstance(outer, ast.ClassDef) and function.name == "__init__"
        called = outer.name if of_class and isinstance(outer, ast.ClassDef) else function.name
        for node in self.mine.nodes:
            if isinstance(node, ast.Call) and callee(node) == called:
                words = {word.arg: word.value for word in node.keywords}
                given = node.args[at] if 0 <= at < len(node.args) else words.get(name)
                if given is not None:
                    yield node, given


def _part(made: ast.Assign, name: str) -> ast.expr:
    """What a variable gets of an assignment: of a shape that is taken apart, its entry."""
    target = made.targets[0]
    if not isinstance(target, ast.Tuple) or getattr(made.value, "attr", "") != "shape":
        return made.value
    names = [getattr(one, "id", "") for one in target.elts]
    if name not in names or any(isinstance(one, ast.Starred) for one in target.elts):
        return made.value
    part = ast.Subscript(made.value, ast.Constant(names.index(name)))
    return ast.copy_location(part, made)


def _hands_on(value: ast.AST) -> bool:
    """Whether an expression hands numbers on as they are: no arithmetic but joined lists."""
    sums = [one for one in ast.walk(value) if isinstance(one, ast.BinOp)]
    return all(isinstance(one.right, ast.List | ast.Tuple) for one in sums)


def _is_variable(node: ast.AST) -> bool:
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name) or (own and node.value.id == "self")  # type: ignore[attr-defined]


def _written(node: ast.AST) -> tuple[float, ...]:
    """The number that a constant is."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return (float(node.value),)  # type: ignore[arg-type]
    return ()


def among(value: float, others: Sequence[float]) -> bool:
    """Whether a number, its inverse or, but for a huge one, its opposite is among others."""
    opposite = value if abs(value) > HUGE else -value
    forms = np.asarray([value, opposite, 1 / value if value else np.inf])
    return bool(np.isclose(forms[:, None], np.asarray(others)[None, :], rtol=1e-6, atol=0).any())


def _told(values: Sequence[float]) -> str:
    """Numbers as they are told: one by itself, several in brackets."""
    short = [float(one).is_integer() and abs(one) < HUGE for one in values]
    texts = [f"{int(v)}" if plain else f"{v:.4g}" for v, plain in zip(values, short, strict=True)]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
