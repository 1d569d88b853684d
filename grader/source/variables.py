"""Which variables a piece of a program reads, and which it gives a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def stores(node: ast.AST) -> Iterator[ast.Name]:
    """The places in a node where a variable gets a value."""
    return _names(node, ast.Store)


def stored(node: ast.AST) -> frozenset[str]:
    """The variables that a node gives a value."""
    return frozenset(one.id for one in stores(node))


def reads(node: ast.AST) -> Iterator[ast.Name]:
    """The places in a node that read a variable."""
    return _names(node, ast.Load)


def read(node: ast.AST) -> frozenset[str]:
    """The variables that a node reads."""
    return frozenset(one.id for one in reads(node))


def appended(node: ast.AST) -> tuple[str, ast.expr] | None:
    """The list that a call of ``append`` or a statement with nothing else adds to, and what."""
    match node:
        case ast.Expr(value=ast.Call() as call):
            return appended(call)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[given]):
            return name, given
    return None


def _names(node: ast.AST, kind: type[ast.expr_context]) -> Iterator[ast.Name]:
    names = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return (one for one in names if isinstance(one.ctx, kind))
