"""What each name in a file stands for, and each operator."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from grader.frameworks import Spellings

OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitOr: "or",
}

WRAPPERS = frozenset(("int", "float", "list", "tuple"))
"""Functions whose result has the value of their one argument."""


def aliases(body: list[ast.stmt], spellings: Spellings) -> dict[str, str]:
    """Local name to full name for the imports among these statements, nested ones included."""
    found = {}
    for statement in _statements(body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname:
                    found[alias.asname] = spellings.today(alias.name)
                else:
                    top = alias.name.split(".")[0]
                    found[top] = top
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                full = spellings.today(f"{statement.module}.{alias.name}")
                found[alias.asname or alias.name] = full
    return found


def imported(body: list[ast.stmt], spellings: Spellings) -> Iterator[tuple[str, int]]:
    """Every full name that an import brings in, with its line."""
    for statement in _statements(body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield spellings.today(alias.name), statement.lineno
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                yield spellings.today(f"{statement.module}.{alias.name}"), statement.lineno


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` as text; None for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of one scope: into if, try and with, not into functions or classes."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list):
                yield from _statements([s for s in inner if isinstance(s, ast.stmt)])
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)
