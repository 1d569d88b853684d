"""Which statements give a name its value, and which function and statement a line is in."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from grader.source.ast_cache import of_kind, walked

T = TypeVar("T")
Other = TypeVar("Other")


def bound(
    tree: ast.Module, name: str, line: int, ran: Callable[[ast.stmt], bool] | None = None
) -> ast.stmt | None:
    """The statement that last gave ``name`` its value before ``line``, in the same function.

    For ``self.x``, the first that sets it anywhere. ``ran`` says of a statement whether it is known
    to have run: such a one goes before the others.
    """
    if name.startswith("self."):
        found = [n for n in of_kind(tree, ast.stmt) if name in targets(n)]
        given = [one for one in found if not is_none(getattr(one, "value", None))]
        return next(iter(given or found), None)
    inside = around(tree, line)
    found = [
        one
        for one in walked(inside or tree)
        if isinstance(one, ast.stmt) and one.lineno < line and name in targets(one)
    ]
    known = [one for one in found if ran is not None and ran(one)]
    return max(known or found, key=lambda one: one.lineno, default=None)


def around(tree: ast.Module, line: int) -> ast.FunctionDef | None:
    """The innermost function that ``line`` is in."""
    found = [
        one for one in of_kind(tree, ast.FunctionDef) if one.lineno <= line <= (one.end_lineno or 0)
    ]
    return max(found, key=lambda one: one.lineno, default=None)


def targets(node: ast.AST) -> list[str]:
    """The names that a statement gives a value."""
    given: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        given = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For):
        given = [node.target]
    return [ast.unparse(one) for target in given for one in of_kind(target, ast.expr)]


def callee(node: ast.AST | None) -> str:
    """The name of the function that a call calls."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def calling(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a function, a class or a method of this name."""
    return [one for one in of_kind(tree, ast.Call) if callee(one) == name]


def arguments(call: ast.Call, params: Sequence[str]) -> dict[str, ast.expr]:
    """What a call gives for each of the parameters: by place, or by name."""
    by_name = {one.arg: one.value for one in call.keywords if one.arg}
    return dict(zip(params, call.args, strict=False)) | by_name


def functions(tree: ast.Module) -> Mapping[str, ast.FunctionDef]:
    """The functions and methods of a file by name; the last definition counts."""
    return {node.name: node for node in of_kind(tree, ast.FunctionDef)}


def is_none(node: ast.AST | None) -> bool:
    """Whether a node is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None


def assigned(tree: ast.AST, line: int) -> list[ast.Assign]:
    """The assignments on a line."""
    return [one for one in of_kind(tree, ast.Assign) if one.lineno == line]


def only(found: Collection[T], otherwise: Other) -> T | Other:
    """What was found if it is one; else something other."""
    return next(iter(found)) if len(found) == 1 else otherwise
