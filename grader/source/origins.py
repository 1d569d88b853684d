"""Where in a file a value comes from: the line that sets an attribute, or gives a name its value."""

from __future__ import annotations

import ast
import difflib
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
            return _default(tree, parts[index], min(found)[1])
    return _nearest(tree, parts[-1]) if parts else None


def _default(tree: ast.Module, name: str, line: int) -> int:
    """``line``, or that of the default where it only keeps an argument: ``self.x = x``."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = function.args.posonlyargs + function.args.args
        defaulted = {
            arg.arg: arg.lineno for arg in given[len(given) - len(function.args.defaults) :]
        }
        for one in function.body:
            kept = isinstance(one, ast.Assign) and ast.unparse(one) == f"self.{name} = {name}"
            if kept and one.lineno == line and name in defaulted:
                return defaulted[name]
    return line


def _nearest(tree: ast.Module, name: str) -> int | None:
    """The line that sets a variable of this name, or an attribute spelled much like it."""
    names: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id, node.lineno)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.attr, node.lineno)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.8)
    return names.get(name) or (names[near[0]] if near else None)


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
        case ast.AnnAssign(target=target):
            return [target]
    return []
