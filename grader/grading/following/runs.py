"""A list of functions that a program runs in the reverse of the reference's order."""

from __future__ import annotations

import ast

from grader.grading.following.given import entries
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import (
    bound,
    callee,
    functions,
)
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError

DOES = (ast.Call, ast.BinOp, ast.Compare, ast.UnaryOp)
"""Expressions that do something with tensors."""


def backwards(comparison: Comparison, error: SeenError) -> Slip | None:
    """The ``reversed`` that has functions called from the last to the first, as an error came up.

    The reference does what they do in the order in which they are listed.
    """
    mine, lines = comparison.mine, {one.line for one in error.calls}
    for node in mine.nodes:
        match node:
            case ast.Call(func=ast.Name(id="reversed"), args=[ast.Name() as listed]) as turned:
                pass
            case _:
                continue
        given = entries(mine, listed) if node.lineno in lines else []
        places = [one for one in (_first(comparison, each) for each in given) if one is not None]
        if len({*places}) < 2 or places != sorted(places):
            continue
        outer = mine.parents.get(turned)
        if not isinstance(outer, ast.Call):
            return None
        args = [listed if one is turned else one for one in outer.args]
        said = f"Line {node.lineno} goes through {listed.id} from the last to the first: line"
        said = f"{said} {given[0].lineno} has the function that is to be called first in front."
        return Slip(node.lineno, said, ast.unparse(ast.Call(outer.func, args, outer.keywords)))
    return None


def _first(comparison: Comparison, entry: ast.expr) -> int | None:
    """When the reference first does what a function of a list does; None if it never does."""
    mine, right = comparison.mine, comparison.right
    whole: ast.AST | None = entry
    if isinstance(entry, ast.Name):
        whole = functions(mine.tree).get(entry.id)
        kept = bound(mine.tree, entry.id, entry.lineno) if whole is None else None
        whole = functions(mine.tree).get(callee(getattr(kept, "value", None)), kept or whole)
    inner = [*ast.walk(whole or entry)]
    kinds = {operation(one) for one in inner if isinstance(one, DOES)}
    kinds |= {one.attr for one in inner if isinstance(one, ast.Attribute)}  # to be called later
    made = [one for one in right.made.values() if isinstance(right.nodes[one.node], DOES)]
    return min((m.order for m in made if operation(right.nodes[m.node]) in kinds), default=None)
