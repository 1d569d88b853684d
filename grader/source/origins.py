"""Where a value comes from: the line that sets an attribute, or gives a name its value."""

from __future__ import annotations

import ast
import re
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
            return _worked_out(tree, min(found)[1])
    local = [n.lineno for n in ast.walk(tree) if _is_set(n, parts[-1] if parts else "")]
    return local[0] if local else None


def _is_set(node: ast.AST, name: str) -> bool:
    """Whether a local variable of this name gets its value: ``self.`` may be what it lacks."""
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _worked_out(tree: ast.Module, line: int) -> int:
    """``line``; or where the one variable that is passed there was worked out, in the function."""
    inside = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    inside = [n for n in inside if n.lineno <= line <= (n.end_lineno or 0)]
    nodes = [node for one in inside[-1:] for node in ast.walk(one)]
    calls = [n.value for n in nodes if isinstance(n, ast.Assign) and n.lineno == line]
    given = {
        arg.id
        for call in calls
        if isinstance(call, ast.Call)
        for arg in call.args
        if isinstance(arg, ast.Name)
    }
    found = [
        n.lineno for n in nodes if isinstance(n, ast.Name) and any(_is_set(n, g) for g in given)
    ]
    return found[-1] if len(set(found)) == 1 and found[0] < line else line


def place(tree: ast.Module, about: str) -> int | None:
    """The line of an attribute, as :func:`attribute`; of a definition, ``"Class.method()"``.

    ``"function() end"`` is its last return, or its last statement where it returns nothing;
    ``"function() ~pattern"`` the first of its lines in which this regular expression is found.
    """
    path, definition, end = about.partition("()")
    if not definition:
        return attribute(tree, path)
    node: ast.AST = tree
    for name in path.split("."):
        names = {"__call__", "forward"} if name == "__call__" else {name}
        inner = [n for n in getattr(node, "body", []) if getattr(n, "name", "") in names]
        if not inner:
            break
        node = inner[-1]
    if not isinstance(node, ast.FunctionDef | ast.ClassDef):
        return None
    if end.startswith(" ~") and isinstance(node, ast.FunctionDef):
        return _written(node, end.removeprefix(" ~"))
    if end and isinstance(node, ast.FunctionDef):
        returns = [one.lineno for one in ast.walk(node) if isinstance(one, ast.Return)]
        return max(returns, default=node.body[-1].lineno)
    return node.lineno


def _written(function: ast.FunctionDef, pattern: str) -> int | None:
    """The first line of a function, below its docstring, with the statement or head that fits."""
    inner = [n for one in function.body for n in ast.walk(one)]
    statements = [n for n in inner if isinstance(n, ast.stmt) and n is not function]
    for one in sorted(statements, key=lambda n: n.lineno):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            continue
        lines = ast.unparse(one).splitlines()
        head = lines[0] if hasattr(one, "body") else " ".join(lines)
        if re.search(pattern, head):
            return one.lineno
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
