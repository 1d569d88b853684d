"""Which variables a piece of a program reads, and which it gives a value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from grader.source.ast_cache import of_kind


def stores(node: ast.AST) -> tuple[ast.Name, ...]:
    """The places in a node where a variable gets a value."""
    return _names(node, ast.Store)


def stored(node: ast.AST) -> frozenset[str]:
    """The variables that a node gives a value."""
    return frozenset(one.id for one in stores(node))


def reads(node: ast.AST) -> tuple[ast.Name, ...]:
    """The places in a node that read a variable."""
    return _names(node, ast.Load)


def read(node: ast.AST) -> frozenset[str]:
    """The variables that a node reads."""
    return frozenset(one.id for one in reads(node))


def binds(node: ast.AST) -> Iterator[str]:
    """The names that a statement itself binds: a definition, an import, or plain variables."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (one.asname or one.name.partition(".")[0] for one in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (one.id for one in targets if isinstance(one, ast.Name))


def appended(node: ast.AST) -> tuple[str, ast.expr] | None:
    """The list that a call of ``append`` or a statement with nothing else adds to, and what."""
    match node:
        case ast.Expr(value=ast.Call() as call):
            return appended(call)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[given]):
            return name, given
    return None


@lru_cache(2048)
def _names(node: ast.AST, kind: type[ast.expr_context]) -> tuple[ast.Name, ...]:
    return tuple(one for one in of_kind(node, ast.Name) if isinstance(one.ctx, kind))
