"""A place of a program at which something is changed, and the ways to change it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Change = Callable[[ast.AST], None]
Offer = tuple[str, str, Change]
"""Kind, what is done, and the doing: it touches only one node."""


@dataclass(frozen=True)
class Scope:
    """What is around a node."""

    where: str = ""
    """The qualified name of the function."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The annotations of its arguments."""
    names: frozenset[str] = frozenset()
    """All names in it."""

    def inside(self, node: ast.FunctionDef | ast.ClassDef) -> Scope:
        """That of the body of ``node``."""
        every: list[ast.arg] = []
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.args, *node.args.kwonlyargs]
        arguments = {one.arg: ast.unparse(one.annotation) for one in every if one.annotation}
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        return Scope(f"{self.where}.{node.name}".lstrip("."), arguments, frozenset(names))


EVERYWHERE = Scope()
"""Outside of all functions."""


@dataclass
class Place:
    """A node, and what can be done to it."""

    node: ast.AST
    parent: ast.AST | None
    scope: Scope
    offers: list[Offer] = field(default_factory=list)

    def add(self, kind: str, change: str, apply: Change) -> None:
        """Offer one change."""
        self.offers.append((kind, change, apply))


def with_fields(**fields: object) -> Change:
    """Give the node these fields."""
    return lambda node: node.__dict__.update(fields)


def becomes(other: ast.AST) -> Change:
    """Make the node the same as ``other``, in place."""

    def change(node: ast.AST) -> None:
        node.__class__ = other.__class__
        node.__dict__ = dict(other.__dict__)

    return change


def with_items(name: str, index: int, items: Sequence[ast.AST | None], count: int = 1) -> Change:
    """Put ``items`` in the place of ``count`` others from ``index`` on."""

    def change(node: ast.AST) -> None:
        part = list(getattr(node, name))
        part[index : index + count] = items
        setattr(node, name, part)

    return change
