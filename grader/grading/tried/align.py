"""The learner's program beside the reference: which statement answers which, and in which names.

Statements are paired in their order, where they are alike. What the learner calls the reference's
names follows from the pairs: parameters by their places, variables and attributes by a vote of the
places where they stand.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.grading.tried.text import Names, Text

ALIKE = 0.45
"""Statements that have less than this in common answer nothing."""
KNOWN = 1.5
"""How many votes a name has for itself, if the learner's function has it too."""

SKIPPED = frozenset(("ctx", "kind", "returns", "simple", "type_comment", "type_params"))
BLOCKS = ("body", "orelse", "finalbody", "handlers")

Function = ast.FunctionDef | ast.AsyncFunctionDef


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


# ---- what two nodes have in common ---------------------------------------------------------------


def code(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements without docstrings."""
    return [
        one
        for one in body
        if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or one.value.value is ...
    ]


def form(node: ast.AST, names: Names | None) -> tuple[tuple[object, ...], list[ast.AST]]:
    """What a node says by itself, in the learner's names, and its parts; without its blocks."""
    said: list[object] = [type(node).__name__]
    parts: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name in SKIPPED or (name in BLOCKS and isinstance(node, ast.stmt | ast.ExceptHandler)):
            continue
        if name == "annotation" and isinstance(node, ast.arg):
            continue
        if isinstance(value, ast.AST) and hasattr(value, "lineno"):
            parts.append(value)
            said.append(name)
        elif isinstance(value, ast.arguments | ast.comprehension):
            parts.append(value)
        elif isinstance(value, ast.AST):
            said.append(type(value).__name__)
        elif isinstance(value, list):
            nodes = [one for one in value if isinstance(one, ast.AST) and _placed(one)]
            said.append(tuple(type(one).__name__ for one in value) if not nodes else len(value))
            parts += nodes
        else:
            said.append(repr(value) if isinstance(node, ast.Constant) else value)  # True is not 1
    if names is not None:
        _rename(node, said, names)
    return tuple(said), parts


def _placed(node: ast.AST) -> bool:
    return hasattr(node, "lineno") or isinstance(node, ast.comprehension)


def _rename(node: ast.AST, said: list[object], names: Names) -> None:
    if isinstance(node, ast.Name | ast.arg):
        said[-1] = names.name(node.id if isinstance(node, ast.Name) else node.arg)
    elif isinstance(node, ast.Attribute):
        said[-1] = names.attribute(node)


def same(mine: ast.AST, right: ast.AST, names: Names) -> bool:
    """Whether two nodes say the same, in the learner's names; blocks are not looked at."""
    (said, parts), (wanted, others) = form(mine, None), form(right, names)
    return (
        said == wanted
        and len(parts) == len(others)
        and all(same(a, b, names) for a, b in zip(parts, others, strict=True))
    )


def words(node: ast.AST, names: Names | None) -> Counter[object]:
    """What a statement says, blocks included, as a bag of words."""
    found: Counter[object] = Counter()
    for one in ast.walk(node):
        if not isinstance(one, ast.expr_context | ast.Load | ast.Store):
            said, _ = form(one, names)
            found[said] += 1
            found[said[0]] += 1
    return found


# ---- the pairs -----------------------------------------------------------------------------------


@dataclass
class Alignment:
    """Pairs the statements of two programs."""

    mine: Text
    right: Text
    _votes: dict[tuple[object, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    _bags: dict[tuple[int, bool, int], Counter[object]] = field(default_factory=dict)
    _attributes: dict[str, str] = field(default_factory=dict)
    _names: dict[int, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The names that the reference binds for the whole module."""
        return frozenset(name for one in self.right.tree.body for name in _binds(one))

    def found(self) -> list[Pair | Gap]:
        """Every pair and every gap, once the names are known."""
        self._attributes = {}
        for one in self._module():
            if isinstance(one, Pair):
                self._vote(one)
        self._attributes = self._elected("attribute")
        self._bags.clear()
        return list(self._module())

    def _module(self) -> Iterator[Pair | Gap]:
        scope = Scope(Names(self._elected("module"), self._attributes))
        yield from self._blocks(self.mine.tree, self.right.tree, scope)

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
            names = {**scope.names.names, **self._elected(mine), **_parameters(mine, right)}
            scope = Scope(Names(names, scope.names.attributes), mine, right, _bound(right))
        if type(mine) is type(right):
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
        common = sum(min(count, theirs[one]) for one, count in ours.items())
        return 2 * common / (sum(ours.values()) + sum(theirs.values()))

    def _words(self, node: ast.stmt, names: Names | None) -> Counter[object]:
        key = (id(node), names is None, id(names.names) if names is not None else 0)
        if key not in self._bags:
            self._bags[key] = words(node, names)
        return self._bags[key]

    # ---- names ---------------------------------------------------------------------------------

    def _vote(self, pair: Pair) -> None:
        """Let two statements say what the learner calls the reference's names."""
        mine, right, scope = pair.mine, pair.right, pair.scope
        if isinstance(mine, Function | ast.ClassDef):
            name, other = getattr(mine, "name", ""), getattr(right, "name", "")
            space: object = "attribute" if isinstance(mine, Function) else "module"
            self._votes[space, other][name] += 2
            return
        self._compare(mine, right, scope)

    def _compare(self, mine: ast.AST, right: ast.AST, scope: Scope) -> None:
        if isinstance(mine, ast.Name) and isinstance(right, ast.Name):
            if right.id in scope.bound:
                self._votes[scope.function, right.id][mine.id] += 1
            elif right.id in self._shared:
                self._votes["module", right.id][mine.id] += 1
            return
        if _own(mine) and _own(right):
            self._votes["attribute", right.attr][mine.attr] += 1  # type: ignore[attr-defined]
        (said, parts), (wanted, others) = form(mine, None), form(right, None)
        if said[0] == wanted[0] and len(parts) == len(others):
            for one, other in zip(parts, others, strict=True):
                self._compare(one, other, scope)

    def _elected(self, space: object) -> dict[str, str]:
        """The names of the reference in a function, and what the learner calls them."""
        found = {}
        for (where, name), votes in self._votes.items():
            if where is space or where == space:
                known = name in self._known(space)
                if known and not isinstance(space, ast.AST):
                    continue
                scores: dict[str, float] = dict(votes)
                if known:
                    scores[name] = scores.get(name, 0) + KNOWN
                found[name] = max(scores, key=lambda one: scores[one])
        return found

    def _known(self, space: object) -> frozenset[str]:
        """The learner's own names of a kind: attributes, of the module, or of a function."""
        if id(space) not in self._names:
            where = space if isinstance(space, ast.AST) else self.mine.tree
            attributes = space == "attribute"
            found = {name for node in ast.walk(where) for name in _said(node, attributes)}
            self._names[id(space)] = frozenset(found)
        return self._names[id(space)]


def _said(node: ast.AST, attributes: bool) -> Iterator[str]:
    """The names that a node mentions."""
    if isinstance(node, Function):
        yield node.name
    elif attributes:
        if isinstance(node, ast.Attribute) and _own(node):
            yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.ClassDef):
        yield node.name


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds where it stands."""
    if isinstance(node, Function | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (one.asname or one.name.partition(".")[0] for one in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (one.id for one in targets if isinstance(one, ast.Name))


def _bound(function: Function) -> frozenset[str]:
    """The names that a function binds: parameters, and what it assigns."""
    nodes = list(ast.walk(function))
    stored = (node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store))
    names = {node.id for node in stored if isinstance(node, ast.Name)}
    return frozenset(names | {node.arg for node in nodes if isinstance(node, ast.arg)})


def _own(node: ast.AST) -> bool:
    """Whether a node is an attribute of the object itself."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id == "self"


def _parameters(mine: Function, right: Function) -> dict[str, str]:
    """What the learner calls the reference's parameters: as it does, else by their places."""
    ours, theirs = (
        [one.arg for one in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
        for f in (mine, right)
    )
    left = [name for name in ours if name not in theirs]
    rest = [name for name in theirs if name not in ours]
    return {name: name for name in theirs if name in ours} | dict(zip(rest, left, strict=False))
