"""Operators that compare bits, where a power or a comparison is meant."""

from __future__ import annotations

import ast
import re

from grader.frameworks.max.errors.case import Case, described
from grader.frameworks.values import Fix, Translation
from grader.protocol.probe import SeenValue

BITWISE = {"xor": "^", "and": "&", "or": "|"}
"""Operators that compare bits, by their names in NumPy."""

SETS = ("set", "frozenset", "dict_keys", "dict_items")

OTHER = (*SETS, "dict", "list", "tuple", "str", "NoneType")
"""Kinds that have no power either."""


def bitwise(case: Case, match: re.Match[str]) -> Translation | None:
    """``x ^ 2``, which is no power in Python, or another operator of bits, of broken numbers."""
    sign = BITWISE[match.groupdict().get("name") or "xor"]
    if sign != "^":
        return Translation(f"{sign} compares bits, and these are no whole numbers", None)
    kinds = re.findall(r"'(\w+)'", case.text)
    if any(kind in OTHER for kind in kinds):
        return _of_sets(case, kinds)
    return power(case, "^ compares bits in Python: it is not the power")


def _of_sets(case: Case, kinds: list[str]) -> Translation | None:
    """``names ^ [a, b]``, where one of the two is a set, and the other must be one."""
    node = case.node
    sets = [kind in SETS for kind in kinds]
    if len(sets) != 2 or sum(sets) != 1 or not isinstance(node, ast.BinOp):
        return None
    other = (node.left, node.right)[sets.index(False)]
    text = ast.unparse(other)
    value = case.value(other) or SeenValue(kinds[sets.index(False)])
    what = f"^ takes what only one of two sets has, and {text} is {described(value)}"
    return Translation(what, "Make a set of it.", case.fix(other, f"set({text})"))


def power(case: Case, what: str) -> Translation:
    """What to write for ``x ^ 2`` where the power is meant."""
    node = case.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
        if _is_open(case, node):
            return Translation(what, "A power is **, and its exponent needs brackets.")
        return Translation(what, "A power is **.", _starred(case, node))
    match case.statement:
        case ast.AugAssign(op=ast.BitXor(), target=target, value=value) as whole:
            new = f"{ast.unparse(target)} **= {ast.unparse(value)}"
            return Translation(what, "A power is **.", Fix(case.segment(whole), new))
    return Translation(what, "A power is **.")


def _is_open(case: Case, node: ast.BinOp) -> bool:
    """Whether the exponent is worked out, and not in brackets: ``x ^ 2 * i``."""
    return isinstance(node.right, ast.BinOp) and not case.segment(node).endswith(")")


def _starred(case: Case, node: ast.BinOp) -> Fix | None:
    """The operator exchanged in the learner's own text, whose brackets stay."""
    text = case.segment(node)
    if text.count("^") == 1:
        return case.fix(node, re.sub(r"\s*\^\s*", " ** ", text))
    return case.fix(node, ast.BinOp(node.left, ast.Pow(), node.right))
