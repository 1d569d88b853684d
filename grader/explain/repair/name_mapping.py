"""What the learner calls the names of the reference: by a vote of the places where they occur."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from grader.explain.repair.edits import Text
from grader.explain.repair.normal_form import Function, form
from grader.explain.trace import program
from grader.source.ast_cache import of_kind, walked
from grader.source.def_use import binds, stored

KNOWN = 1.5
"""How many votes a name has for itself, if the learner's function has it too."""


@dataclass
class NameMapping:
    """The votes of two programs' statements, each for a name in a space.

    A space is a function of the learner's, ``"module"`` or, for what objects have, ``"attribute"``.
    """

    mine: Text
    right: Text
    _votes: dict[tuple[object, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    _names: dict[int, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The names that the reference binds for the whole module."""
        return frozenset(name for one in self.right.tree.body for name in binds(one))

    def vote(
        self, mine: ast.stmt, right: ast.stmt, function: Function | None, bound: frozenset[str]
    ) -> None:
        """Let two statements say what the learner calls the reference's names.

        They occur in ``function``; ``bound`` are the names that the reference binds there.
        """
        if isinstance(mine, Function | ast.ClassDef):
            name, other = getattr(mine, "name", ""), getattr(right, "name", "")
            space: object = "attribute" if isinstance(mine, Function) else "module"
            self._votes[space, other][name] += 2
            return
        self._compare(mine, right, function, bound)

    def _compare(
        self, mine: ast.AST, right: ast.AST, function: Function | None, bound: frozenset[str]
    ) -> None:
        if isinstance(mine, ast.Name) and isinstance(right, ast.Name):
            if right.id in bound:
                self._votes[function, right.id][mine.id] += 1
            elif right.id in self._shared:
                self._votes["module", right.id][mine.id] += 1
            return
        if _own(mine) and _own(right):
            self._votes["attribute", right.attr][mine.attr] += 1  # type: ignore[attr-defined]
        (said, parts), (wanted, others) = form(mine, None), form(right, None)
        if said[0] == wanted[0] and len(parts) == len(others):
            for one, other in zip(parts, others, strict=True):
                self._compare(one, other, function, bound)

    def elected(self, space: object) -> dict[str, str]:
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
            said = (_said(node, attributes) for node in walked(where))
            self._names[id(space)] = frozenset(filter(None, said))
        return self._names[id(space)]


def _said(node: ast.AST, attributes: bool) -> str:
    """The name that a node mentions; empty if it mentions none."""
    if isinstance(node, Function):
        return node.name
    if attributes:
        return node.attr if isinstance(node, ast.Attribute) and _own(node) else ""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.ClassDef(name=name):
            return name
        case ast.alias(name=name, asname=other):
            return other or name.partition(".")[0]
    return ""


def bound_by(function: Function) -> frozenset[str]:
    """The names that a function binds: parameters, and what it assigns."""
    return stored(function) | {n.arg for n in of_kind(function, ast.arg)}


def _own(node: ast.AST) -> bool:
    """Whether a node is an attribute of the object itself."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id == "self"


def parameters(mine: Function, right: Function) -> dict[str, str]:
    """What the learner calls the reference's parameters: as it does, else by their places."""
    ours, theirs = program.parameters(mine), program.parameters(right)
    left = [name for name in ours if name not in theirs]
    rest = [name for name in theirs if name not in ours]
    return {name: name for name in theirs if name in ours} | dict(zip(rest, left, strict=False))
