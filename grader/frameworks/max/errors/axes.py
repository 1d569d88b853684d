"""Axes that are no whole numbers."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.max.errors.kinds import dim
from grader.frameworks.max.errors.signature import Signature
from grader.frameworks.values import Translation
from grader.protocol.probe import SeenValue

AXES = ("axis", "dim1", "dim2", "axis_1", "axis_2", "chunks")


"""Arguments that are whole numbers."""


def axis(case: Case, call: ast.Call) -> Translation | None:
    """An axis that is no whole number."""
    signature = Signature.of(case.value(call.func))
    given = {word.arg: word.value for word in call.keywords}
    given |= dict(zip(signature.plain if signature else (), call.args, strict=False))
    for name in AXES:
        node = given.get(name)
        if node is not None and case.kind(node) not in ("int", ""):
            return _one_axis(case, call, node)
    return None


def _one_axis(case: Case, call: ast.Call, node: ast.expr) -> Translation | None:
    """``node`` where an axis belongs."""
    value, name = case.value(node), ast.unparse(call.func).rpartition(".")[2]
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) != 1:
        made: ast.expr = call.func.value if isinstance(call.func, ast.Attribute) else call
        for one in node.elts:
            made = ast.Call(ast.Attribute(made, name), [one], [])
        return Translation(
            f"{name} takes one axis, and {ast.unparse(node)} is several",
            "Call it once for each.",
            case.fix(call, made),
        )
    text = ast.unparse(node)
    what = f"An axis is a whole number, and {text} is {described(value or SeenValue('float'))}"
    if isinstance(node, ast.List | ast.Tuple):
        return Translation(what, "Leave the brackets out.", case.fix(node, node.elts[0]))
    if value is not None and value.kind == "str":
        return Translation(what, "Leave the quotes out.", case.fix(node, value.text.strip("'\"")))
    if value is not None and value.kind == "NoneType":
        fix = case.fix(node, "-1") if name not in ("concat", "stack", "transpose") else None
        return Translation(what, "Give one: -1 is the last.", fix)
    if text.startswith("float("):
        return Translation(
            f"An axis is a whole number, and {text} is not one",
            "Use int.",
            case.fix(node, f"int({text})"),
        )
    if value is not None and value.kind in ("float", "StaticDim"):
        return Translation(what, "Make one of it.", case.fix(node, f"int({text})"))
    return None


def dim_or_axis(case: Case, match: re.Match[str]) -> Translation:
    """A Dim where a number is needed: as an axis, or anywhere."""
    wrong = axis(case, case.call) if case.call is not None else None
    return wrong or dim(case, match)
