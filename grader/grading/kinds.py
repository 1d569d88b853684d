"""What kind of thing an expression does, to tell like from unlike in two programs."""

from __future__ import annotations

import ast

from grader.grading.run import Run, operation

ENTRY = "an entry"
"""The kind of calls of an entry of a list: ``for f in fs: f(x)`` and ``fs[i](x)`` are alike."""


def kind(run: Run, number: int) -> str:
    """The kind of an expression: its operation, whatever the variable is called that it calls."""
    node = run.nodes[number]
    match node:
        case ast.Call(func=ast.Subscript()):
            return ENTRY
        case ast.Call(func=ast.Name(id=name)) if name in run.entries:
            return ENTRY
    return operation(node)
