"""An operation that is made twice: on what the same operation gave."""

from __future__ import annotations

import ast

from grader.grading.following import differs
from grader.grading.following.run import operation
from grader.grading.following.trace import Comparison, Departure


def again(comparison: Comparison, one: Departure) -> str:
    """Whether an operation is made on what the same operation gave before, in a sentence."""
    mine = comparison.mine
    node = mine.nodes[one.node]
    kind = operation(node)
    if _repeats(comparison, kind):
        return ""
    for place in mine.places if isinstance(node, ast.Call | ast.BinOp) else ():
        before = mine.nodes[place.node]
        inner = place.value in one.sources and place.node != one.node
        here = mine.function(place.node) == mine.function(one.node)
        if not inner or not here or operation(before) != kind:
            continue
        if isinstance(before, ast.Call):
            return f"It calls {kind} twice: on what {kind} gave already."
        if kind in differs.VERBS and mine.line(place.node) != mine.line(one.node):
            return f"Line {mine.line(place.node)} {differs.VERBS[kind]} already."
    return ""


def _repeats(comparison: Comparison, kind: str) -> bool:
    """Whether the reference, too, makes this operation on what the same operation gave."""
    right = comparison.right
    nodes = {made.node for made in right.made.values() if operation(right.nodes[made.node]) == kind}
    return any(
        right.made[source].node in nodes - {made.node}
        for made in right.made.values()
        if made.node in nodes
        for source in made.sources
    )
