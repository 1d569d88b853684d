"""A helper that returns several values, of which a line keeps all under one name."""

from __future__ import annotations

import ast

from grader.grading.reading.bindings import callee, functions
from grader.source.walked import of_kind


def kept_whole(tree: ast.Module, name: str, line: int) -> tuple[str, str]:
    """What to say, and to write, where ``line`` keeps as ``name`` all that a helper returns."""
    for node in of_kind(tree, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Name(id=kept)], value=ast.Call() as call, lineno=at):
                if (kept, at) != (name, line):
                    continue
            case _:
                continue
        helper = functions(tree).get(callee(call))
        parts = None if helper is None else _returned(helper)
        if parts is not None:
            said = f" {callee(call)} returns {len(parts)} values: unpack them there"
            return f"{said}, with one name for each.", ""
    return "", ""


def _returned(helper: ast.FunctionDef) -> list[ast.expr] | None:
    """The values that a function returns side by side, if it has one return."""
    ends = [one.value for one in ast.walk(helper) if isinstance(one, ast.Return)]
    only = ends[0] if len(ends) == 1 else None
    return only.elts if isinstance(only, ast.Tuple) else None
