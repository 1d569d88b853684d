"""Where in a file a value comes from: the line that sets an attribute, or defines a name."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator


def attribute(tree: ast.Module, path: str) -> int | None:
    """The line that sets the last part of ``path`` that this file sets.

    ``"transformer.h.0.attn"`` is about ``self.h`` where no class of the file has an ``attn``. If
    several classes set that name, the one whose class sets no owner counts. ``"f()"`` is about the
    definition of ``f``, ``"return f()"`` about what it returns. None for no such line.
    """
    if path.endswith("()"):
        return _defined(tree, path.removesuffix("()"))
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


def _defined(tree: ast.Module, name: str) -> int | None:
    """The line of the ``def`` or ``class`` of this name; of ``return name`` where it returns."""
    wanted = name.removeprefix("return ")
    methods = ("__call__", "forward") if wanted == "The forward pass" else (wanted,)
    found = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name in methods
    ]
    if not found:
        return None
    if wanted == name:
        return found[-1].lineno
    returns = [one.lineno for one in ast.walk(found[-1]) if isinstance(one, ast.Return)]
    return max(returns, default=found[-1].body[-1].lineno)


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
