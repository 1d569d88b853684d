"""The solution with the functions of earlier steps that it calls, where a learner wrote others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from grader.base.blanks import make_answer
from grader.source.ast_cache import of_kind, parsed
from grader.source.bindings import callee
from grader.source.def_use import binds


def opened(solution: str, mine: str, folder: Path) -> str:
    """The text of a ``solution`` in ``folder``, with such functions at its end.

    What a function of another file computes is not followed. A program that calls none of its name
    does the same in its own lines, which are then compared with those of the function.
    """
    tree, called = parsed(solution), {callee(one) for one in of_kind(parsed(mine), ast.Call)}
    found = list[str]()
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(folder.name):
            continue
        earlier = folder / f"{(node.module or '').rpartition('.')[2]}.py"
        lacks = {one.name for one in node.names if one.asname is None} - called
        if lacks and earlier.is_file():
            found += _functions(make_answer(earlier.read_text(encoding="utf-8")), lacks)
    return "\n\n".join([solution, *found])


def _functions(text: str, names: set[str]) -> Iterator[str]:
    """The plain functions of these names in a file, after the imports of what they use."""
    tree = parsed(text)
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.name not in names or node.decorator_list:
            continue
        used = {one.id for one in of_kind(node, ast.Name)}
        for one in tree.body:
            if isinstance(one, ast.Import | ast.ImportFrom) and used.intersection(binds(one)):
                yield ast.unparse(one)
        yield ast.unparse(node)
