"""Operators that compare bits, where a power or a comparison is meant."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case
from grader.frameworks.values import Translation

BITWISE = {"xor": "^", "and": "&", "or": "|"}
"""Operators that compare bits, by their names in NumPy."""


def bitwise(case: Case, match: re.Match[str]) -> Translation:
    """``x ^ 2``, which is no power in Python, or another operator of bits, of broken numbers."""
    sign = BITWISE[match.groupdict().get("name") or "xor"]
    if sign != "^":
        return Translation(f"{sign} compares bits, and these are no whole numbers", None)
    node = case.node
    fix = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        fix = case.fix(node, ast.BinOp(node.left, ast.Pow(), node.right))
    return Translation("^ compares bits in Python: it is not the power", "A power is **.", fix)
