"""Where in a file a value comes from: the line that sets an attribute, or gives a name its value."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def attribute(tree: ast.Module, path: str) -> int | None:
    """The line that sets the last part of ``path`` that this file sets.

    ``"transformer.h.0.attn"`` is about ``self.h`` where no class of the file has an ``attn``. If
    several classes set that name, the one whose class sets no owner counts. None for no such line.
    """
    parts = [part for part in path.split(".") if not part.isdecimal()]
    for index in range(len(parts) - 1, -1, -1):
        owners = set(parts[:index])
        found = [
            (bool(owners & {name for name, _ in _set_in(cls)}), line)
            for cls in ast.walk(tree)
            if isinstance(cls, ast.ClassDef)
            for name, line in _set_in(cls)
            if name == parts[index]
        ]
        if found:
            return min(found)[1]
    return None


def _set_in(cls: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """The attributes of ``self`` that the methods of a class set, and the names set in its body."""
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
    for statement in cls.body:
        for target in _targets(statement):
            if isinstance(target, ast.Name):
                yield target.id, target.lineno


def _targets(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Assign(targets=targets):
            return targets
        case ast.AnnAssign(target=target) if statement.value is not None:
            return [target]
    return []
