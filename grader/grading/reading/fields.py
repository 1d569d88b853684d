"""Fields of a class that have another name than the solution's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.shown import Slip


def renamed(tree: ast.Module, right: ast.Module) -> Iterator[Slip]:
    """A field that the solution's class has not, in the place of the one that it has more."""
    classes = {one.name: _fields(one) for one in right.body if isinstance(one, ast.ClassDef)}
    for one in tree.body:
        if not isinstance(one, ast.ClassDef):
            continue
        mine, wanted = _fields(one), classes.get(one.name, {})
        lacks = [name for name in wanted if name not in mine]
        more = [name for name in mine if name not in wanted]
        if len(lacks) != 1 or len(more) != 1 or _beside(mine, *more) != _beside(wanted, *lacks):
            continue
        line, node = mine[more[0]].lineno, mine[more[0]]
        kind = ast.unparse(node.annotation)
        value = f" = {ast.unparse(node.value)}" if node.value is not None else ""
        said = f"Line {line} has the field {more[0]}, which is called {lacks[0]} here."
        yield Slip(line, said, f"{lacks[0]}: {kind}{value}")


def _fields(owner: ast.ClassDef) -> dict[str, ast.AnnAssign]:
    """The fields of a class with their statements, in their order."""
    return {
        one.target.id: one
        for one in owner.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }


def _beside(fields: dict[str, ast.AnnAssign], name: str) -> tuple[str, str]:
    """The fields before and after one of them."""
    names = ["", *fields, ""]
    at = names.index(name)
    return names[at - 1], names[at + 1]
