"""A helper that returns several values, of which a line keeps all under one name."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from grader.grading.reading.bindings import around, callee, functions
from grader.source.variables import all_named, reads
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
            lost = sorted(set(_unset(tree, line)))
            text = f", {lost[0]} among them" if len(lost) == 1 else ""
            return f"{said}, with one name for each{text}.", _written(name, lost, parts, call)
    return "", ""


def _returned(helper: ast.FunctionDef) -> list[ast.expr] | None:
    """The values that a function returns side by side, if it has one return."""
    ends = [one.value for one in ast.walk(helper) if isinstance(one, ast.Return)]
    only = ends[0] if len(ends) == 1 else None
    return only.elts if isinstance(only, ast.Tuple) else None


def _unset(tree: ast.Module, line: int) -> Iterator[str]:
    """The variables that the function around a line reads, and that nothing gives a value."""
    function = around(tree, line)
    if function is None:
        return
    names = all_named(tree).union(dir(builtins))
    yield from (one.id for one in reads(function) if one.id not in names)


def _written(name: str, lost: list[str], parts: list[ast.expr], call: ast.Call) -> str:
    """The line with a name for each of two values, if it is clear which of them is no pair."""
    pairs = [isinstance(one, ast.Tuple) for one in parts]
    if len(lost) != 1 or sorted(pairs) != [False, True]:
        return ""
    names = [lost[0] if pair else name for pair in pairs]
    return f"{', '.join(names)} = {ast.unparse(call)}"
