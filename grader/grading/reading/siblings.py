"""Statements that do the same for several variables, and the one that takes another's by mistake.

``q = turn(q)`` beside ``k = turn(q)``: what was copied was not changed everywhere. Only the source
is looked at, so the numbers must be wrong already.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.reading.shown import Slip
from grader.source.walked import of_kind, walked

NAME = re.compile(r"Name\(id='\w+'")
"""A variable in the text of a syntax tree."""


def refilled(tree: ast.Module) -> Iterator[Slip]:
    """Lists that are made to be filled, and that a loop gives a new value in every turn instead.

    If the loop does so only under a condition, something else must fill the list.
    """
    for function in of_kind(tree, ast.FunctionDef):
        for loop in of_kind(function, ast.For):
            for one in of_kind(loop, ast.stmt):
                match one:
                    case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                        name = ast.unparse(target)
                    case _:
                        continue
                first = _empty_list(function, name, loop.lineno)
                others = {ast.unparse(each) for each in walked(value)}
                if first is None or name in others or f"{name}.append" in ast.unparse(loop):
                    continue
                always = one in loop.body
                if not always and f"{name}.append(" not in ast.unparse(function):
                    continue
                said = f"Line {one.lineno} gives {name} a new value in "
                said += "every turn" if always else "turns"
                said = f"{said} of the loop of line {loop.lineno}; line {first} makes it a list to"
                item = value.elts[0] if isinstance(value, ast.List) and value.elts else value
                write = f"{name}.append({ast.unparse(item)})"
                yield Slip(one.lineno, f"{said} be filled.", write)


def _empty_list(function: ast.FunctionDef, name: str, before: int) -> int | None:
    """The line above ``before`` that gives a variable or an attribute an empty list."""
    for node in walked(function):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.lineno >= before:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            for one, value in pairs:
                if ast.unparse(one) == name and isinstance(value, ast.List) and not value.elts:
                    return node.lineno
    return None
