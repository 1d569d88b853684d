"""Several parts of one tensor, whose names are in another order at one place than at the others."""

from __future__ import annotations

import ast
import re

from grader.source.ast_cache import of_kind


def misordered_line(tree: ast.Module, cuts: str) -> int | None:
    """The line at which the names of several parts are in another order than everywhere else.

    ``cuts`` is a pattern of what takes the tensor apart. The order of the others is that in which
    the lines below the cut read them one by one. None if there is no such line.
    """
    for function in of_kind(tree, ast.FunctionDef):
        for one in ast.walk(function):
            match one:
                case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value) if len(elts) > 2:
                    names = [name.id for name in elts if isinstance(name, ast.Name)]
                case _:
                    continue
            if not re.search(cuts, ast.unparse(value)) or len(names) != len(elts):
                continue
            if _indices(value) != sorted(_indices(value)):
                return one.lineno
            return _odd(function, one, names)
    return None


def _indices(value: ast.expr) -> list[int]:
    """The rows that are taken one after the other: 0, 2 and 1 of ``x[0], x[2], x[1]``."""
    taken = value.elts if isinstance(value, ast.Tuple) else []
    rows = [one.slice for one in taken if isinstance(one, ast.Subscript)]
    return [r.value for r in rows if isinstance(r, ast.Constant) and isinstance(r.value, int)]


def _odd(function: ast.FunctionDef, cut: ast.Assign, names: list[str]) -> int | None:
    """The line of the cut, or of the one call that is given these names in another order."""
    below = [one for one in ast.walk(function) if getattr(one, "lineno", 0) > cut.lineno]
    calls = [
        (one.lineno, given)
        for one in below
        if isinstance(one, ast.Call)
        if sorted(given := [ast.unparse(arg) for arg in one.args][: len(names)]) == sorted(names)
    ]
    other = [line for line, given in calls if given != names]
    single = {
        one.id: (one.lineno, one.col_offset)
        for one in sorted(below, key=lambda n: -getattr(n, "lineno", 0))
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in names
        if all(line != one.lineno for line, _ in calls)
    }
    order = sorted(single, key=lambda name: single[name])
    if len(calls) != 1 or len(other) != 1 or len(order) != len(names):
        return None
    return other[0] if order == names else (cut.lineno if order == calls[0][1] else None)
