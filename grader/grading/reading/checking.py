"""Helpers that only look at what they are given, and raise an error if it is wrong.

Such an error is the fault of a call, not of the helper: that is right for all of its other calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from grader.grading.reading.bindings import around, callee, is_none
from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind, walked

CALLER = re.compile(r"^ *File .+, line (\d+), in \S+$", re.MULTILINE)
"""How a traceback names each line that it comes through."""

MOST_TEXT = 100
"""Characters of a condition that is quoted."""


def handed_on(tree: ast.Module, line: int, chain: str) -> Slip | None:
    """The condition of a caller under which it calls a helper that raises whatever it is given."""
    function = around(tree, line)
    lines = [int(one) for one in CALLER.findall(chain)]
    if function is None or not _only_raises(function, line, chain) or line not in lines[1:]:
        return None
    at = lines[len(lines) - 1 - lines[::-1].index(line) - 1]
    for node in walked(tree):
        for block, was in _branches(node):
            calls = [call for one in block for call in _called(one, function.name)]
            if not isinstance(node, ast.If) or not any(_holds(one, at) for one in calls):
                continue
            start, text = node.test.lineno, ast.unparse(node.test)
            if len(text) > MOST_TEXT:
                return None
            begins = f"Line {at} has {function.name} raise this error, as on line {start} {text} is"
            if told := asked_wrongly(tree, node.test, begins, was, start):
                return told
            return Slip(start, f"{begins} {was}. Here it must not be: is the right thing asked?")
    return None


def _only_raises(function: ast.FunctionDef, line: int, chain: str) -> bool:
    """Whether a function raises its error on a line whatever it is given."""
    end = function.body[-1]
    plain = all(
        isinstance(one, ast.Expr | ast.Assign | ast.AnnAssign) for one in function.body[:-1]
    )
    raises = isinstance(end, ast.Raise) and end.lineno == line and not of_another(chain, end)
    return plain and raises


def _branches(node: ast.AST) -> Iterator[tuple[list[ast.stmt], str]]:
    """What runs where a condition is true, and where it is false."""
    if isinstance(node, ast.If):
        yield node.body, "true"
        yield node.orelse, "false"


def _called(statement: ast.stmt, name: str) -> list[ast.Call]:
    """The call of a function that a statement is, or whose result it returns or raises."""
    value = getattr(statement, "value", None)
    return [value] if isinstance(value, ast.Call) and callee(value) == name else []


IN_PLACE = " in place of "
"""What stands between what to write and what is there."""


def asked_wrongly(
    tree: ast.Module, test: ast.expr, begins: str, was: str, line: int
) -> Slip | None:
    """A condition on the one field that it asks for, without asking whether that is its None."""
    inside = around(tree, line)
    classes = [one for one in of_kind(tree, ast.ClassDef) if inside in one.body]
    body = classes[0].body if classes else []
    empty = {
        ast.unparse(one.target)
        for one in body
        if isinstance(one, ast.AnnAssign) and one.value is not None and is_none(one.value)
    }
    asked = {one.attr for one in walked(test) if _of_self(one)}
    if inside is None or len(asked) != 1 or not asked <= empty:
        return None
    (name,) = asked
    field, text = f"self.{name}", ast.unparse(test)
    compared = of_kind(inside, ast.Compare)
    if text in (field, f"not {field}") or any(
        ast.unparse(one.left) == field and any(map(is_none, one.comparators)) for one in compared
    ):
        return None
    begins = f"{begins} {was}. {field} is None by default, and what is asked leaves that out."
    loose = isinstance(test, ast.IfExp) or (was == "true" and isinstance(test, ast.BoolOp))
    whole = f"({text})" if loose else text
    write = f"{field} is not None and {whole}" if was == "true" else f"{field} is None or {whole}"
    return Slip(line, begins, f"{write}{IN_PLACE}{text}")


def _of_self(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether a node is an attribute of ``self``."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return own and ast.unparse(node).startswith("self.")


def of_another(message: str, node: ast.Raise) -> bool:
    """Whether a message names an error, and not the one that this statement raises."""
    kind = re.search(r"\b(\w+(?:Error|Exception))\b: ", message)
    return kind is not None and node.exc is not None and kind[1] not in ast.unparse(node.exc)


def _holds(node: ast.Call, line: int) -> bool:
    """Whether a call is on a line, or goes on there."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)
