"""A call as it really is, and with the names that MAX has."""

from __future__ import annotations

import ast

from grader.frameworks.max.errors.case import Case

KEPT = ("keepdim", "keepdims")

SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.ListComp)
"""What needs no brackets, whatever is beside it."""


def renamed(owner: str, name: str, given: list[ast.expr], call: ast.Call | None) -> ast.Call:
    """``owner.name(given…)`` with the keywords of ``call`` under MAX's names."""
    words = [
        ast.keyword("axis" if word.arg in ("dim", "axes") else word.arg, word.value)
        for word in (call.keywords if call else ())
        if word.arg not in (*KEPT, "dtype")
    ]
    return ast.Call(ast.Attribute(ast.Name(owner), name), given, words)


def told(case: Case, call: ast.Call) -> str:
    """The call's function with its arguments, as they really are."""
    value = case.value(call.func)
    name = ast.unparse(call.func)
    if value is None or value.signature is None:
        return name
    return f"{name}({', '.join(value.signature)})"


def enclosed(case: Case, node: ast.expr, made: str) -> str:
    """What is to be written for ``node``, in brackets where an operator or a dot is next to it."""
    simple = isinstance(getattr(ast.parse(made).body[0], "value", None), SIMPLE)
    beside = ast.BinOp | ast.UnaryOp | ast.Compare | ast.BoolOp
    for outer in () if simple else case.nodes():
        dotted = isinstance(outer, ast.Attribute | ast.Subscript) and outer.value is node
        if dotted or (isinstance(outer, beside) and node in ast.iter_child_nodes(outer)):
            return f"({made})"
    return made
