"""Where in a file a value comes from: the line that sets an attribute, or defines a name."""

from __future__ import annotations

import ast
import difflib
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
            return _default(tree, parts[index], _worked_out(tree, min(found)[1]))
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
    stores = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    found = [one.lineno for one in stores if one.id in given]
    return found[-1] if len(set(found)) == 1 and found[0] < line else line


def place(tree: ast.Module, about: str) -> int | None:
    """The line of an attribute, as :func:`attribute`; of a definition, ``"Class.method()"``.

    ``"function() end"`` is its last return, or its last statement where it returns nothing;
    ``"function() ~pattern"`` is the first statement in which this regular expression is found,
    ``"() ~pattern"`` that of the whole file.
    """
    path, definition, end = about.partition("()")
    if not definition:
        return attribute(tree, path)
    if not path:
        return _written(tree, end.removeprefix(" ~"))
    node: ast.AST = tree
    for name in path.split("."):
        names = {"__call__", "forward"} if name == "__call__" else {name}
        inner = [n for n in getattr(node, "body", []) if getattr(n, "name", "") in names]
        inner = inner or [n for n in ast.walk(node) if getattr(n, "name", "") in names]
        inner = inner or [n for n in ast.walk(node) if _resembles(n, name)]
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


def _resembles(node: ast.AST, name: str) -> bool:
    """Whether a definition's name is ``name`` but for a letter or a capital."""
    own = getattr(node, "name", None)
    defines = isinstance(node, ast.FunctionDef | ast.ClassDef) and isinstance(own, str)
    near = difflib.get_close_matches(name.lower(), [str(own).lower()], n=1, cutoff=0.85)
    return defines and bool(near)


def _written(function: ast.FunctionDef | ast.Module, pattern: str) -> int | None:
    """The first statement of a function, or head of a block, in which a pattern is found."""
    inner = [n for one in function.body for n in ast.walk(one)]
    statements = [n for n in inner if isinstance(n, ast.stmt)]
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
        case ast.AnnAssign(target=target):
            return [target]
    return []
