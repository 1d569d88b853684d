"""Assignments with an annotation, told as those without: ``x: Tensor = f(y)`` is ``x = f(y)``.

Every look at a statement would else have to ask for both.
"""

from __future__ import annotations

import ast

from grader.source.annotations import allows_none
from grader.source.ast_cache import walk


def unannotated(tree: ast.Module) -> tuple[ast.AST, ...]:
    """Takes the annotations of the assignments of functions out of a tree; the nodes, as they were.

    In their order each assignment is at its old place, so the number of no node changes. One that
    says that None is meant stays.
    """
    nodes, new = tuple(walk(tree)), dict[ast.AST, ast.AST]()
    for function in (one for one in nodes if isinstance(one, ast.FunctionDef)):
        for outer in walk(function):
            for name in ("body", "orelse", "finalbody"):
                given = getattr(outer, name, None)
                block: list[ast.AST] = given if isinstance(given, list) else []
                for at, one in enumerate(block):
                    if isinstance(one, ast.AnnAssign) and not isinstance(outer, ast.ClassDef):
                        block[at] = new[one] = _plain(one)
    return tuple(new.get(one, one) for one in nodes)


def _plain(node: ast.AnnAssign) -> ast.stmt:
    """The assignment without its annotation; itself if it has no value, or may be None."""
    if node.value is None or allows_none(node.annotation):
        return node
    return ast.copy_location(ast.Assign([node.target], node.value), node)
