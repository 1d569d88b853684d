"""A loop over a few things that ends at the first which is None: those after it are passed over."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.reading.bindings import bound
from grader.grading.reading.shown import Slip
from grader.source.variables import read
from grader.source.walked import walked


def odd(tree: ast.Module) -> Iterator[Slip]:
    """``for one in (bias, mask): if one is None: break``, where others follow."""
    for loop in walked(tree):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.orelse:
            continue
        name = loop.target.id
        for at, one in enumerate(loop.body):
            left = _left(one, name)
            goes_on = any(name in read(other) for other in loop.body[at + 1 :])
            if left is not None and goes_on and _variables(tree, loop) > 1:
                said = f"Line {left.lineno} leaves the loop of line {loop.lineno} at the first"
                said = f"{said} {name} that is None, and passes over those after it: continue goes"
                yield Slip(left.lineno, f"{said} on with the next.", "continue")


def _left(node: ast.stmt, name: str) -> ast.Break | None:
    """The break that a statement does if ``name`` is None, and nothing else."""
    match node:
        case ast.If(
            test=ast.Compare(
                left=ast.Name(id=own), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
            ),
            body=[ast.Break() as left],
            orelse=[],
        ) if own == name:
            return left
        case ast.If(
            test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=own)),
            body=[ast.Break() as left],
            orelse=[],
        ) if own == name:
            return left
    return None


def _variables(tree: ast.Module, loop: ast.For) -> int:
    """How many variables the tuple or list has that a loop goes through."""
    given: ast.AST | None = loop.iter
    if isinstance(given, ast.Name):
        given = getattr(bound(tree, given.id, loop.lineno), "value", None)
    every = given.elts if isinstance(given, ast.Tuple | ast.List) else []
    return sum(isinstance(one, ast.Name | ast.Attribute) for one in every)
