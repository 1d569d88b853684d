"""Where a function ends without a return, so that it gives None."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def without_return(function: ast.FunctionDef) -> int | None:
    """The last line of a function that returns nothing anywhere; None if it returns."""
    if any(one.value is not None for one in _own_returns(function)):
        return None
    last = function.body[-1]
    return (last.end_lineno or last.lineno) if hasattr(last, "body") else last.lineno


def _own_returns(function: ast.FunctionDef) -> Iterator[ast.Return]:
    """The returns of a function, and not of those that are defined in it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Return):
            yield one
        if not isinstance(one, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(one)
