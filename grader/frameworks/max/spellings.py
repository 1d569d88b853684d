"""What each name in a file stands for, and MAX's many spellings of one operation."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

OLD_NN, NN = "max.nn.module_v3", "max.experimental.nn"
F = "max.experimental.functional"

OPERATIONS: Mapping[str, str] = {
    f"{F}.{spelling}": name
    for name, spellings in {
        "matmul": ("matmul",),
        "transpose": ("transpose",),
        "permute": ("permute",),
        "reshape": ("reshape",),
        "softmax": ("softmax",),
        "logsoftmax": ("logsoftmax",),
        "split": ("split",),
        "chunk": ("chunk",),
        "add": ("add",),
        "sub": ("sub",),
        "mul": ("mul",),
        "div": ("div",),
        "pow": ("pow",),
        "sqrt": ("sqrt",),
        "rsqrt": ("rsqrt",),
        "where": ("where",),
        "broadcast": ("broadcast_to",),
        "band_part": ("band_part",),
        "functional": ("functional",),
    }.items()
    for spelling in spellings
} | {
    "math.sqrt": "sqrt",
    "numpy.sqrt": "sqrt",
    "math.pow": "pow",
    "operator.matmul": "matmul",
    "operator.add": "add",
    "operator.mul": "mul",
    "operator.truediv": "div",
    f"{NN}.Linear": "linear",
}
"""Functions by their full name."""

METHODS = {
    "transpose",
    "permute",
    "reshape",
    "split",
    "softmax",
    "matmul",
    "sqrt",
    "rsqrt",
    "pow",
}
"""Operations that are methods of a tensor too."""

OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}


def aliases(body: list[ast.stmt]) -> dict[str, str]:
    """Local name to full name for the imports among these statements, nested ones included."""
    found = {}
    for statement in _statements(body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname:
                    found[alias.asname] = today(alias.name)
                else:
                    top = alias.name.split(".")[0]
                    found[top] = top
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                full = today(f"{statement.module}.{alias.name}")
                found[alias.asname or alias.name] = full
    return found


def imported(body: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Every full name that an import brings in, with its line."""
    for statement in _statements(body):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield today(alias.name), statement.lineno
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                yield today(f"{statement.module}.{alias.name}"), statement.lineno


def today(name: str) -> str:
    """Today's full name of something that MAX has moved."""
    return NN + name.removeprefix(OLD_NN) if name.startswith(OLD_NN) else name


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
