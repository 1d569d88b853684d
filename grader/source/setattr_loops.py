"""Attributes that a loop over a table sets by name: ``setattr(self, name, …)``, and their rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.source.ast_cache import of_kind, walked

Display = ast.Tuple | ast.List | ast.Set | ast.Dict


def set_attributes(tree: ast.Module, cls: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """The attributes that a class sets so, each with the line of its name in the table."""
    for function in (one for one in cls.body if isinstance(one, ast.FunctionDef)):
        for node in walked(function):
            given = _given_name(node)
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                yield given.value, given.lineno
            elif isinstance(given, ast.Name):
                yield from _of_loops(tree, function, given.id)


def _given_name(node: ast.AST) -> ast.expr | None:
    """The name by which a node sets an attribute of ``self``."""
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id="self"), name, _]):
            return name
        case ast.Call(func=ast.Attribute(attr="__setattr__"), args=[ast.Name(id="self"), name, _]):
            return name
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="self"), attr="__setattr__"), args=[name, _]
        ):
            return name
    return None


def _of_loops(tree: ast.Module, function: ast.FunctionDef, name: str) -> Iterator[tuple[str, int]]:
    """What a variable is in the turns of the loops of a function that give it a value."""
    for loop in of_kind(function, ast.For):
        targets = getattr(loop.target, "elts", [loop.target])
        texts = [one.id if isinstance(one, ast.Name) else "" for one in targets]
        table = display(tree, function, loop.iter)
        if name in texts and table is not None:
            at = texts.index(name) if isinstance(loop.target, ast.Tuple | ast.List) else None
            yield from _entries(table, at)


def display(tree: ast.Module, function: ast.FunctionDef, node: ast.expr) -> Display | None:
    """The table that an expression is: written there, or kept by the name that it is, once."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="items" | "keys"), args=[]):
            return display(tree, function, inner)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "reversed"), args=[inner]):
            return display(tree, function, inner)
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
            return node
        case ast.Name(id=name):
            own, shared = ([*_kept(body, name)] for body in (function.body, tree.body))
            kept = own or shared
            return kept[0] if len(kept) == 1 and isinstance(kept[0], Display) else None
    return None


def _kept(body: list[ast.stmt], name: str) -> Iterator[ast.expr]:
    """What statements give a variable."""
    for one in body:
        match one:
            case ast.Assign(targets=[ast.Name(id=other)], value=value) if other == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=other), value=ast.expr() as value) if (
                other == name
            ):
                yield value


def _entries(table: Display, at: int | None) -> Iterator[tuple[str, int]]:
    """The texts of a table's entries, or of the part ``at`` of each of its rows."""
    if isinstance(table, ast.Dict):
        rows: list[ast.expr | None] = [*table.keys] if at in (None, 0) else []
    else:
        parts = [getattr(one, "elts", []) for one in table.elts] if at is not None else []
        rows = [one[at] for one in parts if at < len(one)] if at is not None else [*table.elts]
    for one in rows:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value, one.lineno
