"""Which line of a file says how many entries a list has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.source.ast_cache import of_kind
from grader.source.bindings import callee, only
from grader.source.def_use import stores

Counting = ast.For | ast.comprehension


def length_line(tree: ast.Module, line: int) -> int:
    """The line that counts the entries of a list which is made, or appended to, at ``line``.

    That is the head of a loop, the ``for`` of a comprehension, or the line that works out the one
    number of its range; also in a function of the file that is called there. Else ``line``.
    """
    functions = list(of_kind(tree, ast.FunctionDef))
    for node, counts in _here(tree, line, functions):
        match counts.iter:
            case ast.Call(args=[ast.Name(id=name)]):
                kept = [one.lineno for one in stores(node) if one.id == name]
                return only(kept, counts.iter.lineno)
        return counts.iter.lineno
    return line


def _here(
    tree: ast.Module, line: int, functions: list[ast.FunctionDef]
) -> Iterator[tuple[ast.FunctionDef, Counting]]:
    """The loops around a line or in its statement, each with its function; then its helpers'."""
    helpers: set[str] = set()
    for function in functions:
        for one in ast.walk(function):
            if not isinstance(one, ast.stmt) or not _is_at(one, line):
                continue
            if isinstance(one, ast.For):
                yield function, one
            elif not hasattr(one, "body"):
                yield from ((function, each) for each in _counting(one))
                helpers.update(map(callee, of_kind(one, ast.Call)))
    for function in functions:
        if function.name in helpers:
            yield from ((function, each) for each in _counting(function))


def _is_at(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _counting(node: ast.AST) -> Iterator[Counting]:
    return (one for one in ast.walk(node) if isinstance(one, Counting))
