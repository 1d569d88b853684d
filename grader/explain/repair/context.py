"""What a learner's program says around a place: names, bounds, loops and calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from grader.explain.repair.edits import Text
from grader.source.def_use import read, reads, stored, stores

MOST_BOUNDS, MOST_CALLS = 6, 12
"""Bounds of other slices, and calls of the same function, that are made here."""
MOST_KEPT = 4
"""Attributes that a function sets of which another one may be meant."""


@dataclass(frozen=True)
class Context:
    """What is around the places of a program."""

    mine: Text
    _locals: dict[ast.AST | None, tuple[str, ...]] = field(default_factory=dict)
    _again: dict[ast.AST | None, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    _unread: dict[ast.AST | None, tuple[str, ...]] = field(default_factory=dict)

    def variables(self, node: ast.AST) -> list[str]:
        """The names that the function around a node takes or gives a value, or a lambda there."""
        names = [one for one in self.local(self.mine.around(node)) if one != "self"]
        outer = self.mine.parents.get(node)
        while outer is not None:
            if isinstance(outer, ast.Lambda):
                names += [one.arg for one in outer.args.args]
            outer = self.mine.parents.get(outer)
        return list(dict.fromkeys(names))

    def local(self, function: ast.AST | None) -> tuple[str, ...]:
        """The names that a function takes or gives a value."""
        if function not in self._locals:
            found = _names(function) if function is not None else ()
            self._locals[function] = tuple(dict.fromkeys(found))
        return self._locals[function]

    def read_after(self, node: ast.stmt, target: str) -> list[str]:
        """The variables of a function that it reads after a statement; none if ``target`` is."""
        function = self.mine.around(node)
        if function is None:
            return []
        end, known = node.end_lineno or node.lineno, stored(function)
        found = [one.id for one in reads(function) if one.lineno > end]
        return [one for one in dict.fromkeys(found) if one in known and target not in found]

    def unread(self, node: ast.AST) -> tuple[str, ...]:
        """What the function around a node takes or makes and never reads; attributes likewise."""
        function = self.mine.around(node)
        if function not in self._unread:
            made = self.local(function) if function is not None else ()
            known = read(function) if function is not None else frozenset()
            own = self._unread_attributes if "self" in made else ()
            names = (one for one in made if one not in known and one not in ("self", "_"))
            self._unread[function] = (*names, *own)
        return self._unread[function]

    @cached_property
    def _unread_attributes(self) -> tuple[str, ...]:
        found = {
            node.attr
            for node in self.mine.nodes
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
        }
        return tuple(f"self.{one}" for one in sorted(self.set_attributes - found))

    @cached_property
    def set_attributes(self) -> frozenset[str]:
        """Every attribute that the learner's program sets."""
        found = (node for node in self.mine.nodes if isinstance(node, ast.Attribute))
        return frozenset(node.attr for node in found if isinstance(node.ctx, ast.Store))

    def kept_before(self, node: ast.expr) -> list[str]:
        """The attributes that the function around a node sets in lines before it."""
        if not self.in_method(node):
            return []
        kept = self._kept.get(self.mine.around(node), ())
        found = dict.fromkeys(one.attr for one in kept if one.lineno < node.lineno)
        return list(found)[-MOST_KEPT:]

    @cached_property
    def _kept(self) -> Mapping[ast.AST | None, Sequence[ast.Attribute]]:
        """The attributes of the object itself that each function sets."""
        found: dict[ast.AST | None, list[ast.Attribute]] = {}
        for one in self.mine.nodes:
            if isinstance(one, ast.Attribute) and own(one) and isinstance(one.ctx, ast.Store):
                found.setdefault(self.mine.around(one), []).append(one)
        return found

    def defines(self, name: str) -> bool:
        """Whether the learner's objects have an attribute of that name."""
        return name in self.set_attributes or name in self.methods

    @cached_property
    def methods(self) -> frozenset[str]:
        """The methods of the learner's classes."""
        defined = (node for node in self.mine.nodes if isinstance(node, ast.FunctionDef))
        return frozenset(
            one.name for one in defined if isinstance(self.mine.parents[one], ast.ClassDef)
        )

    def in_method(self, node: ast.AST) -> bool:
        """Whether a node is in a function that has ``self``."""
        return "self" in self.local(self.mine.around(node))

    def is_list(self, node: ast.stmt, name: str) -> bool:
        """Whether a function makes a variable an empty list, elsewhere than in a statement."""
        function = self.mine.around(node)
        return function is not None and any(
            one is not node
            and self.mine.around(one) is function
            and any(isinstance(to, ast.Name) and to.id == name for to in one.targets)
            for one in self._emptied
        )

    @cached_property
    def _emptied(self) -> tuple[ast.Assign, ...]:
        """The statements that make a variable an empty list."""
        found = (node for node in self.mine.nodes if isinstance(node, ast.Assign))
        return tuple(one for one in found if isinstance(one.value, ast.List) and not one.value.elts)

    def beside(self, node: ast.Name) -> list[str]:
        """The names that may be meant by another: what its statement makes, at the same place.

        Also those that a statement makes together with it.
        """
        statement = self.mine.statement(self.mine.numbers[node])
        found = list(_answers(self.mine, statement, node))
        for names in self._together:
            found += names if node.id in names else []
        return [one for one in dict.fromkeys(found) if one != node.id]

    def beside_attribute(self, node: ast.Attribute) -> list[str]:
        """The attributes that an assignment of a tuple sets together with this one."""
        every = (one for one in self.mine.nodes if isinstance(one, ast.Tuple))
        tuples = (one.elts for one in every if isinstance(one.ctx, ast.Store))
        found = [[one.attr for one in elts if isinstance(one, ast.Attribute)] for elts in tuples]
        names = [name for one in found if node.attr in one for name in one]
        return [one for one in names if one != node.attr] if own(node) else []

    @cached_property
    def _together(self) -> Sequence[Sequence[str]]:
        """The names that one assignment of a tuple, or two that follow each other, give a value."""
        tuples = [node for node in self.mine.nodes if isinstance(node, ast.Tuple)]
        made = [list(_targets(node)) for node in tuples if isinstance(node.ctx, ast.Store)]
        for one in self.mine.nodes:
            if isinstance(one, ast.FunctionDef):
                plain = [node for node in one.body if isinstance(node, ast.Assign)]
                made += [
                    [*_targets(a.targets[0]), *_targets(b.targets[0])] for a, b in pairwise(plain)
                ]
        return made

    @cached_property
    def bounds(self) -> Sequence[str]:
        """The bounds of the learner's slices."""
        slices = [node for node in self.mine.nodes if isinstance(node, ast.Slice)]
        found = [one for node in slices for one in (node.lower, node.upper) if one is not None]
        return list(dict.fromkeys(self.mine.of(one) for one in found))[:MOST_BOUNDS]

    def turns(self, node: ast.AST) -> list[str]:
        """The variables of the loops and comprehensions around a node."""
        found: list[str] = []
        outer = self.mine.parents.get(node)
        while outer is not None:
            loops = [outer, *getattr(outer, "generators", ())]
            kinds = ast.For | ast.comprehension
            found += [n for one in loops if isinstance(one, kinds) for n in _targets(one.target)]
            outer = self.mine.parents.get(outer)
        return found

    def again(self, node: ast.AST) -> tuple[tuple[str, str], ...]:
        """What the function around a node writes before and after a value in calls of its own."""
        function = self.mine.around(node)
        if function not in self._again:
            some = ast.walk(function) if function is not None else ()
            calls = (one for one in some if isinstance(one, ast.Call))
            self._again[function] = tuple(dict.fromkeys(_again(self.mine, calls)))[:MOST_CALLS]
        return self._again[function]


def _targets(node: ast.expr) -> Iterator[str]:
    """The variables that a target names, alone or in a tuple."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    yield from (one.id for one in parts if isinstance(one, ast.Name))


def _answers(mine: Text, statement: ast.stmt | None, node: ast.AST) -> Iterator[str]:
    """The variables that get the value of the part of a statement in which a node is."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            start, end = mine.span(node)
            for target, value in zip(targets, values, strict=False):
                first, last = mine.span(value)
                if first <= start and end <= last:
                    yield from _targets(target)
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name


def _again(text: Text, calls: Iterator[ast.Call]) -> Iterator[tuple[str, str]]:
    """What is written around the first argument of calls that are given only names besides."""
    for node in calls:
        rest = [*node.args[1:], *(one.value for one in node.keywords)]
        names = all(isinstance(one, ast.Name | ast.Constant) for one in rest)
        if node.args and names and not (plain(rest) and not _own_call(node)):
            (start, end), (first, last) = text.span(node), text.span(node.args[0])
            before, after = text.data[start:first].decode(), text.data[last:end].decode()
            if "\n" not in before + after:
                yield before, after


def _own_call(node: ast.Call) -> bool:
    """Whether a call is of a part of the object itself."""
    return isinstance(node.func, ast.Attribute) and own(node.func)


def plain(parts: Sequence[ast.expr]) -> bool:
    """Whether these are numbers only."""
    return all(
        isinstance(one, ast.Constant)
        or (isinstance(one, ast.UnaryOp) and isinstance(one.operand, ast.Constant))
        or (isinstance(one, ast.List | ast.Tuple) and plain(one.elts))
        for one in parts
    )


def own(node: ast.Attribute) -> bool:
    """Whether an attribute is of the object itself."""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _names(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.comprehension):
            yield from (one.id for one in ast.walk(node.target) if isinstance(one, ast.Name))
    yield from (node.id for node in stores(function))
