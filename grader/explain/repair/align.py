"""The learner's program beside the reference: which statement answers which, and in which names.

Statements are paired in their order, where they are alike. What the learner calls the reference's
names follows from the pairs: parameters by their places, variables and attributes by a vote of the
places where they stand.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from grader.explain.repair.edits import Names, Text
from grader.explain.repair.name_mapping import NameMapping, bound_by, parameters
from grader.explain.repair.normal_form import BLOCKS, Function, code, words

ALIKE = 0.45
"""Statements that have less than this in common answer nothing."""
FEWEST = 2
"""Statements of a function that another one must have, to have it in its own body."""


@dataclass(frozen=True)
class Scope:
    """A function, or the module or class outside of one, and the reference's names in it.

    ``right`` is the reference's function; ``bound`` are the names that it binds.
    """

    names: Names
    function: Function | None = None
    right: Function | None = None
    bound: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Gap:
    """Statements in the same place of which none answers another; ``before`` ends it.

    ``around`` is the learner's block, ``after`` the statement before the gap.
    """

    mine: tuple[ast.stmt, ...]
    right: tuple[ast.stmt, ...]
    around: ast.AST
    after: ast.stmt | None
    before: ast.stmt | None
    scope: Scope


@dataclass(frozen=True)
class Pair:
    """Two statements that answer each other."""

    mine: ast.stmt
    right: ast.stmt
    scope: Scope


class Bag(NamedTuple):
    """The words of a statement, how many they are, and the names that they are in."""

    words: Counter[object]
    total: int
    names: Names | None


@lru_cache(4)
def aligned(mine: Text, right: Text) -> tuple[Pair | Gap, ...]:
    """What :class:`Alignment` finds, once for two programs."""
    return Alignment(mine, right).found()


@dataclass
class Alignment:
    """Pairs the statements of two programs."""

    mine: Text
    right: Text
    _bags: dict[tuple[int, int], Bag] = field(default_factory=dict)
    _attributes: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _naming(self) -> NameMapping:
        return NameMapping(self.mine, self.right)

    def found(self) -> tuple[Pair | Gap, ...]:
        """Every pair and every gap, once the names are known."""
        self._attributes = {}
        for one in self._module():
            if isinstance(one, Pair):
                self._naming.vote(one.mine, one.right, one.scope.function, one.scope.bound)
        self._attributes = self._naming.elected("attribute")
        self._bags = {key: one for key, one in self._bags.items() if one.names is None}
        return tuple(self._module())

    def _module(self) -> Iterator[Pair | Gap]:
        scope = Scope(Names(self._naming.elected("module"), self._attributes))
        paired: set[ast.stmt] = set()
        for one in self._blocks(self.mine.tree, self.right.tree, scope):
            if isinstance(one, Pair):
                paired |= {one.mine, one.right}
            yield one
        yield from self._elsewhere(paired, scope)

    def _elsewhere(self, paired: set[ast.stmt], scope: Scope) -> Iterator[Pair | Gap]:
        """Functions that do a function's work under another name, within another, or in its place.

        Of these only what stands between statements that answer each other is a gap.
        """
        mine, right = (
            [one for one in text.statements if isinstance(one, Function)]
            for text in (self.mine, self.right)
        )
        for own in mine:
            if own not in paired and (other := self._closest(own, right, scope.names)) is not None:
                yield from self._of_functions(own, other, scope)
        for other in right:
            if other not in paired:
                names = scope.names
                found = max(mine, key=lambda one: self._in_common(one, other, names), default=None)
                if found is not None and self._in_common(found, other, names) >= FEWEST:
                    for one in self._of_functions(found, other, scope):
                        within = isinstance(one, Pair) or (one.after and one.before)
                        yield from (one,) if within else ()

    def _closest(self, own: Function, right: list[Function], names: Names) -> Function | None:
        """The function of the reference that has the most in common with one of the learner's."""
        found = max(right, key=lambda one: self._alike(own, one, names), default=None)
        return found if found is not None and self._alike(own, found, names) >= ALIKE else None

    def _in_common(self, own: Function, other: Function, names: Names) -> int:
        """How many statements of two functions answer each other."""
        return len(self._aligned(code(own.body), code(other.body), names))

    def _of_functions(self, mine: Function, right: Function, scope: Scope) -> Iterator[Pair | Gap]:
        names = {**scope.names.names, **self._naming.elected(mine), **parameters(mine, right)}
        inner = Scope(Names(names, scope.names.attributes), mine, right, bound_by(right))
        yield from self._blocks(mine, right, inner)

    def _blocks(self, mine: ast.AST, right: ast.AST, scope: Scope) -> Iterator[Pair | Gap]:
        for name in BLOCKS:
            ours, theirs = getattr(mine, name, None), getattr(right, name, None)
            if isinstance(ours, list) and isinstance(theirs, list):
                yield from self._block(mine, code(ours), code(theirs), scope)

    def _block(
        self, around: ast.AST, mine: list[ast.stmt], right: list[ast.stmt], scope: Scope
    ) -> Iterator[Pair | Gap]:
        i = j = 0
        for a, b in [*self._aligned(mine, right, scope.names), (len(mine), len(right))]:
            if a > i or b > j:
                after = mine[i - 1] if i else None
                before = mine[a] if a < len(mine) else None
                yield Gap(tuple(mine[i:a]), tuple(right[j:b]), around, after, before, scope)
            if a < len(mine):
                yield from self._matched(mine[a], right[b], scope)
            i, j = a + 1, b + 1

    def _matched(self, mine: ast.stmt, right: ast.stmt, scope: Scope) -> Iterator[Pair | Gap]:
        yield Pair(mine, right, scope)
        if isinstance(mine, Function) and isinstance(right, Function):
            yield from self._of_functions(mine, right, scope)
        elif type(mine) is type(right):
            yield from self._blocks(mine, right, scope)

    def _aligned(
        self, mine: list[ast.stmt], right: list[ast.stmt], names: Names
    ) -> list[tuple[int, int]]:
        """The pairs of alike statements that have the most in common, in order."""
        best = [[0.0] * (len(right) + 1) for _ in range(len(mine) + 1)]
        alike = [[self._alike(a, b, names) for b in right] for a in mine]
        for i in reversed(range(len(mine))):
            for j in reversed(range(len(right))):
                paired = best[i + 1][j + 1] + alike[i][j] if alike[i][j] >= ALIKE else 0.0
                best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
        pairs, i, j = [], 0, 0
        while i < len(mine) and j < len(right):
            if alike[i][j] >= ALIKE and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
                pairs.append((i, j))
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1
        return pairs

    def _alike(self, mine: ast.stmt, right: ast.stmt, names: Names) -> float:
        """What two statements have in common: 0 for nothing, 1 for all; 2 for a common name."""
        named = isinstance(mine, Function | ast.ClassDef)
        if named != isinstance(right, Function | ast.ClassDef):
            return 0.0
        if named and getattr(mine, "name", 0) == getattr(right, "name", 1):
            return 2.0
        ours, theirs = self._words(mine, None), self._words(right, names)
        if 2 * min(ours.total, theirs.total) < ALIKE * (ours.total + theirs.total):
            return 0.0
        common = ours.words.keys() & theirs.words.keys()
        return (
            2
            * sum(min(ours.words[one], theirs.words[one]) for one in common)
            / (ours.total + theirs.total)
        )

    def _words(self, node: ast.stmt, names: Names | None) -> Bag:
        key = id(node), id(names)
        if key not in self._bags:
            found = words(node, names)
            self._bags[key] = Bag(found, found.total(), names)
        return self._bags[key]
