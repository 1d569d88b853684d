"""What a function computes in vain: values that nothing reads."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from grader.source.ast_cache import walked
from grader.source.expr import Expr

Kept = Sequence[tuple[ast.stmt, Expr]]
"""Statements of a function, and the value that each computes."""


def unused(function: ast.FunctionDef, left: Kept) -> tuple[tuple[str, Expr], ...]:
    """Each value that nothing reads any more, with its name if it has one."""
    last = _last_reads(function) if left else {}
    return tuple((_name_of(node), value) for node, value in left if not _read_later(node, last))


def overwritten(function: ast.FunctionDef, left: Kept) -> tuple[tuple[str, Expr, int], ...]:
    """Each value whose name gets another before anything has read it, and the line of that."""
    again = [(node, value, _replaced_at(function, node)) for node, value in left]
    return tuple((_name_of(node), value, at) for node, value, at in again if at is not None)


def _name_of(node: ast.stmt) -> str:
    """The first plain name that a statement binds; empty if it binds none."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return next((one.id for one in targets if isinstance(one, ast.Name)), "")


def _last_reads(function: ast.FunctionDef) -> dict[str, float]:
    """The last line that reads each name; infinity if a loop may come back to it."""
    every = walked(function)
    looped = any(isinstance(one, ast.For | ast.While) for one in every)
    last: dict[str, float] = {}
    for one in every:
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            last[one.id] = math.inf if looped else max(one.lineno, last.get(one.id, 0))
    return last


def _read_later(node: ast.stmt, last: Mapping[str, float]) -> bool:
    """Whether what a statement computes may be read again: by its names, or in no plain name."""
    if not isinstance(node, ast.Assign):
        return False
    names = {one.id for one in node.targets if isinstance(one, ast.Name)}
    if len(names) < len(node.targets):
        return True
    return any(last.get(name, 0) > (node.end_lineno or node.lineno) for name in names)


def _replaced_at(function: ast.FunctionDef, node: ast.stmt) -> int | None:
    """The line that gives a variable another value for sure, before anything has read this one."""
    name, end = _name_of(node), node.end_lineno or node.lineno
    nodes = walked(function)
    if not name or any(isinstance(one, ast.For | ast.While) for one in nodes):
        return None
    every = [one for one in nodes if isinstance(one, ast.Name) and one.id == name]
    for one in function.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=own)], lineno=line) if own == name and line > end:
                last = one.end_lineno or line
                read = any(isinstance(n.ctx, ast.Load) and end < n.lineno <= last for n in every)
                return None if read else line
    return None
