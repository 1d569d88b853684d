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


def count(function: ast.FunctionDef) -> int:
    """How many values a function gives at a time, if its returns or its annotation say so; else 0.

    Returns that give another number each say nothing.
    """
    ends = [one.value for one in _own_returns(function)]
    given = {len(one.elts) for one in ends if isinstance(one, ast.Tuple)}
    match function.returns:
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=kinds)):
            endless = any(isinstance(one, ast.Constant) for one in kinds)  # tuple[int, ...]
            given |= set() if endless else {len(kinds)}
    return given.pop() if len(given) == 1 else 0


def _own_returns(function: ast.FunctionDef) -> Iterator[ast.Return]:
    """The returns of a function, and not of those that are defined in it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Return):
            yield one
        if not isinstance(one, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(one)
