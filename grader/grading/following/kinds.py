"""What kind of thing an expression does, to tell like from unlike in two programs."""

from __future__ import annotations

import ast
from functools import lru_cache

from grader.grading.following.run import Run, operation

ENTRY = "an entry"
"""The kind of calls of an entry of a list: ``for f in fs: f(x)`` and ``fs[i](x)`` are alike."""

SPELLED = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mult",
    "div": "Div",
    "matmul": "MatMult",
    "pow": "Pow",
}
"""The functions that do what an operator does: ``F.add(a, b)`` is ``a + b``."""


def kind(run: Run, number: int) -> str:
    """The kind of an expression: its operation, whatever the variable is called that it calls."""
    return _kind(run.nodes[number], run.entries)


@lru_cache(maxsize=4096)
def _kind(node: ast.AST, entries: frozenset[str]) -> str:
    match node:
        case ast.Call(func=ast.Subscript()):
            return ENTRY
        case ast.Call(func=ast.Name(id=name)) if name in entries:
            return ENTRY
        case ast.BinOp(left=one, right=other) if ast.dump(one) == ast.dump(other):
            return f"{spelled(node)} with itself"  # a square is no product with a number
    return spelled(node)


def spelled(node: ast.AST) -> str:
    """The operation of an expression; of a function of two that is an operator, that one."""
    name = operation(node)
    two = isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords
    return SPELLED.get(name, name) if two else name


def factor(run: Run, node: int) -> float | None:
    """The plain number that an operation of two takes; None if both are tensors."""
    one = run.nodes[node]
    for inner in (one.right, one.left) if isinstance(one, ast.BinOp) else ():
        held = run.held(run.numbers[inner])
        if isinstance(inner, ast.Constant) and isinstance(inner.value, int | float):
            return float(inner.value)
        if held and not run.gave(run.numbers[inner]):
            return held[0]
    return None
