"""What runs where a program calls what it was given: an entry of a list, a default, a partial.

The line to change is where that is given: the line that calls it is the same for all of them.
"""

from __future__ import annotations

import ast

from grader.grading.following.given import entries
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison, Departure
from grader.grading.reading.bindings import (
    arguments,
    bound,
    callee,
    default_of,
    functions,
)
from grader.grading.reading.shown import Slip, own_calls
from grader.protocol.probe import SeenError
from grader.source.walked import of_kind

DOES = (ast.Call, ast.BinOp, ast.Compare, ast.UnaryOp)
"""Expressions that do something with tensors."""


def what_runs(comparison: Comparison, found: Departure) -> Slip | None:
    """Where it is given what a call runs that gives something wrong."""
    mine, call = comparison.mine, comparison.mine.nodes[found.node]
    if not isinstance(call, ast.Call):
        return None
    return _default(mine, call)


def _default(mine: Run, call: ast.Call) -> Slip | None:
    """The default of the parameter that a call calls, if no call of the file gives another."""
    text, inside, param = ast.unparse(call.func), mine.around(call), ast.unparse(call.func)
    owner = "" if inside is None else inside.name
    if text.startswith("self."):
        made = bound(mine.tree, text, call.lineno)
        inside = None if made is None else mine.around(made)
        param = ast.unparse(made.value) if isinstance(made, ast.Assign) else ""
        classes = of_kind(mine.tree, ast.ClassDef)
        owner = next((one.name for one in classes if inside in one.body), "")
    default = None if inside is None else default_of(inside, param)
    if not isinstance(default, ast.Name | ast.Attribute):
        return None
    if ast.unparse(default) in functions(mine.tree):
        return None
    for node, given, name, params in own_calls(mine.tree):
        if name == owner and (param in params[: len(given)] or param in arguments(node, ())):
            return None
    line, runs = default.lineno, ast.unparse(default)
    said = f"Line {line} has {runs} for {param}, which line {call.lineno} calls"
    return Slip(line, f"{said}: there the numbers go wrong.")


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
