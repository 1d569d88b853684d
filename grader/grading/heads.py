"""The first line that a lesson gives to a function of the learner's, where theirs differs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

REFUSED = "Keep the stub's arguments"
"""How the hint begins on a call that the learner's arguments refuse."""


def lesson_head(tree: ast.Module, solution: ast.Module, line: int | None) -> str | None:
    """The ``def`` of the solution for the function that begins at ``line`` of the program.

    None where there is none, or where it is the same.
    """
    if (both := _both(tree, solution, line)) is None:
        return None
    own, theirs = map(_head, both)
    return None if own == theirs else theirs


def misnamed(tree: ast.Module, solution: ast.Module, line: int | None) -> int | None:
    """The line of the one parameter of that function which the solution calls otherwise."""
    if (both := _both(tree, solution, line)) is None:
        return None
    own, theirs = map(_parameters, both)
    other = [at for name, at in own.items() if name not in theirs]
    return other[0] if len(other) == 1 else None


def _both(
    tree: ast.Module, solution: ast.Module, line: int | None
) -> tuple[ast.FunctionDef, ast.FunctionDef] | None:
    """The function that begins at ``line`` of the program, and the solution's of its name."""
    theirs = dict(_functions(solution))
    found = ((own, theirs.get(name)) for name, own in _functions(tree) if own.lineno == line)
    return next(((own, other) for own, other in found if other is not None), None)


def _parameters(function: ast.FunctionDef) -> dict[str, int]:
    """The parameters of a function, each with its line."""
    given = function.args
    return {one.arg: one.lineno for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a file and the methods of its classes, by name: ``"Class.method"``."""
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            yield one.name, one
        if isinstance(one, ast.ClassDef):
            methods = (inner for inner in one.body if isinstance(inner, ast.FunctionDef))
            yield from ((f"{one.name}.{inner.name}", inner) for inner in methods)


def _head(function: ast.FunctionDef) -> str:
    """``def name(arguments):`` without types, on one line."""
    bare = function.args
    args = ast.arguments(
        posonlyargs=[ast.arg(one.arg) for one in bare.posonlyargs],
        args=[ast.arg(one.arg) for one in bare.args],
        vararg=ast.arg(bare.vararg.arg) if bare.vararg else None,
        kwonlyargs=[ast.arg(one.arg) for one in bare.kwonlyargs],
        kw_defaults=bare.kw_defaults,
        kwarg=ast.arg(bare.kwarg.arg) if bare.kwarg else None,
        defaults=bare.defaults,
    )
    return f"def {function.name}({ast.unparse(args)}):"
