"""Edits that give what outlives a call its first value again in each call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.explain import state
from grader.explain.repair.edits import Change, Edit, Text, of_kind
from grader.source.bindings import bound, targets
from grader.source.def_use import binds


@of_kind("reset")
def resets(mine: Text) -> Iterator[Edit]:
    """The first value of a name, given to it in front of the statement that first uses it."""
    for name, line in dict(state.written(mine.tree)).items():
        statement = next((one for one in mine.statements if one.lineno == line), None)
        function = mine.around(statement) if statement is not None else None
        first = next((one for one in getattr(function, "body", ()) if _uses(one, name)), None)
        if function is None or first is None:
            continue
        shared = first.value if isinstance(first, ast.Assign) and name in binds(first) else None
        value = _first(mine, getattr(shared, "id", name), function)
        if value is not None and shared is not None:  # the name is another one for it
            yield Edit((Change(*mine.span(shared), mine.of(value)),), first.lineno, 2)
        elif value is not None:
            at = mine.start(first.lineno)
            text = f"{' ' * mine.indent(first)}{name} = {mine.of(value)}\n"
            yield Edit((Change(at, at, text),), first.lineno, 2)


def _first(mine: Text, name: str, function: ast.FunctionDef) -> ast.expr | None:
    """The value that a name has before any call."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults = dict(zip((one.arg for one in plain[::-1]), given.defaults[::-1], strict=False))
    if name in defaults:
        return defaults[name]
    shared = (one for one in mine.tree.body if name in targets(one))
    made = bound(mine.tree, name, 0) if name.startswith("self.") else next(shared, None)
    value = getattr(made, "value", None)
    return value if isinstance(value, ast.expr) else None


def _uses(statement: ast.stmt, name: str) -> bool:
    every = (one for one in ast.walk(statement) if isinstance(one, ast.expr))
    return any(ast.unparse(one) == name for one in every)
