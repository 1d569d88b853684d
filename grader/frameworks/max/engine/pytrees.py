"""Faster versions of MAX's common walks over arguments as trees (see ``staging``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from grader.frameworks.max.engine import private

Original = Callable[..., Any]
Predicate = Callable[[Any], bool]

DEPTH = 8
"""Deeper trees, including those that contain themselves, are left to MAX."""

LEAF = object()


class _Other(Exception):
    """A tree that only MAX can flatten."""


def _by_type(kind_of: Original) -> Original:
    """Return MAX's ``_node_kind``, cached by type, since it depends on nothing else."""
    known: dict[type, Any] = {}

    def kind(value: Any) -> Any:
        try:
            return known[type(value)]
        except KeyError:
            return known.setdefault(type(value), kind_of(value))

    return kind


class _Walk:
    """Flattens a tree, by MAX's own rules for leaves and nodes."""

    def __init__(self) -> None:
        self._kind_of = _by_type(private.NODE.get())
        self._as_predicate = private.PREDICATE.get()

    def leaves(self, value: Any, leaf: Any, found: list[Any]) -> Any:
        """Add the leaves of a tree to ``found``; return what :func:`_give` rebuilds it from.

        Raises:
            _Other: the tree is too deep, or has more than lists, tuples and dicts with string keys.
        """
        return self._take(value, self._as_predicate(leaf, self._is_no_node), found, DEPTH)

    def alone(self, value: Any, leaf: Any) -> bool | None:
        """Whether a value is a leaf; None if it is a node that may have some."""
        if self._as_predicate(leaf, self._is_no_node)(value):
            return True
        return False if self._kind_of(value) is None else None

    def _is_no_node(self, value: Any) -> bool:
        return self._kind_of(value) is None

    def _take(self, value: Any, is_leaf: Predicate, found: list[Any], depth: int) -> Any:
        if is_leaf(value):
            found.append(value)
            return LEAF
        kind = type(value)
        if kind is not tuple and kind is not list and kind is not dict:
            if self._kind_of(value) is not None:
                raise _Other
            return value
        if not depth or (kind is dict and not all(type(key) is str for key in value)):
            raise _Other
        keys = sorted(value) if kind is dict else None
        items = value if keys is None else [value[key] for key in keys]
        return kind, keys, [self._take(item, is_leaf, found, depth - 1) for item in items]


def _give(taken: Any, leaves: Iterator[Any]) -> Any:
    """Rebuild the tree with these leaves."""
    if taken is LEAF:
        return next(leaves)
    if type(taken) is not tuple:
        return taken
    kind, keys, items = taken
    built = [_give(item, leaves) for item in items]
    return kind(built) if keys is None else dict(zip(keys, built, strict=True))


def leaves(original: Original) -> Original:
    """Return a faster ``tree.leaves``, made from MAX's."""
    walk = _Walk()

    def leaves(value: Any, *, leaf: Any = None, shared: bool = False) -> Any:
        if not shared and (alone := walk.alone(value, leaf)) is not None:
            return [value] if alone else []
        found: list[Any] = []
        try:
            if shared:
                raise _Other
            walk.leaves(value, leaf, found)
        except _Other:
            return original(value, leaf=leaf, shared=shared)
        return found

    return leaves


def mapped(original: Original) -> Original:
    """Return a faster ``tree.map``, made from MAX's."""
    walk = _Walk()

    def mapped(f: Original, value: Any, *rest: Any, leaf: Any = None, shared: bool = False) -> Any:
        if not (rest or shared) and (alone := walk.alone(value, leaf)) is not None:
            return f(value) if alone else value
        found: list[Any] = []
        try:
            if rest or shared:
                raise _Other
            taken = walk.leaves(value, leaf, found)
        except _Other:
            return original(f, value, *rest, leaf=leaf, shared=shared)
        return _give(taken, iter([f(one) for one in found]))

    return mapped
