"""A helper that calls the functions which it is given: a mistake is in what gives them."""

from __future__ import annotations

import ast
from itertools import pairwise

from grader.grading.following.run import Run
from grader.grading.following.trace import Departure
from grader.grading.reading.bindings import callee
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip, name_of
from grader.source.variables import stored
from grader.source.walked import walked

TAKE_ONE = ("reduce", "map", "filter", "partial")
"""Calls that are given one function, and then what it is called on."""


def calls_given(run: Run, node: int) -> bool:
    """Whether an expression only calls what its function is given: one, or one after the other."""
    call = run.nodes[node]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    first = call.args[1:2] if call.func.id == "reduce" else [call.func]
    names = {one.id for one in first if isinstance(one, ast.Name)}
    outer = run.parents.get(call)
    while outer is not None and names:
        if isinstance(outer, ast.Lambda | ast.FunctionDef):
            rest = [outer.args.vararg] if outer.args.vararg else []
            if names.intersection(one.arg for one in (*outer.args.args, *rest)):
                return True
        if isinstance(outer, ast.For) and names & stored(outer.target):
            names |= {one.id for one in [outer.iter] if isinstance(one, ast.Name)}
        outer = run.parents.get(outer)
    return False


def composed(run: Run, node: int) -> Slip | None:
    """The one call of a helper that calls one of two functions on what the other gives.

    ``compose(norm, sublayer)``, of which the helper calls the second first.
    """
    inner = run.nodes[node]
    outer, helper = run.parents.get(inner), run.around(inner)
    match inner, outer:
        case ast.Call(func=ast.Name(id=first)), ast.Call(func=ast.Name(id=then), args=[only]):
            pass
        case _:
            return None
    names = parameters(helper) if helper is not None else []
    if helper is None or only is not inner or not {first, then} <= set(names):
        return None
    calls = [one for one in walked(run.tree) if callee(one) == helper.name]
    call = calls[0] if len(calls) == 1 else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != len(names):
        return None
    one, other = (ast.unparse(call.args[names.index(name)]) for name in (first, then))
    line, at = call.lineno, run.line(node)
    said = f"Line {line} gives {helper.name} {one} to call first, and {other} to call on what that"
    return Slip(line, f"{said} gives: line {at} does it in this order.")


def next_given(run: Run, found: Departure) -> Slip | None:
    """What is called at a departure: it is given after the function that made the right value.

    ``pipe(scaled(2), masked, softmax)`` gives ``masked`` after what ``scaled`` made. None if that
    is not the only place with the one.
    """
    makers = {run.around(run.nodes[run.made[one].node]) for one in found.sources}
    names = {one.name for one in makers if one is not None}
    after: list[ast.expr] = []
    for node in walked(run.tree):
        takes_one = callee(node) in TAKE_ONE
        given = node.args if isinstance(node, ast.Call) else getattr(node, "elts", None) or []
        given = [] if takes_one else given
        for one, other in pairwise(given):
            if names.intersection((name_of(one), callee(one))):
                after.append(other)
    if len(after) != 1 or len(names) != 1:
        return None
    line = after[0].lineno
    return Slip(line, f"On line {line} the numbers go wrong: {ast.unparse(after[0])}")
