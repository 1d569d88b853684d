"""A return that comes before the branch which the reference takes."""

from __future__ import annotations

import ast

from grader.grading.following.cause import Cause
from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import callee
from grader.grading.reading.program import parameters
from grader.source.variables import read
from grader.source.walked import walked


def returned_early(comparison: Comparison, cause: Cause | None) -> tuple[int, str, str] | None:
    """The condition that lets a program return what is right too early: line and sentence.

    What it returns stands where the reference has something that this program never makes, by a
    step that is among the statements which do not run.
    """
    mine = comparison.mine
    if cause is None or cause.have is None or cause.want is None:
        return None
    if cause.want in comparison.matched or not comparison.settled(cause.have):
        return None
    for node in mine.nodes:
        end = node.body[-1] if isinstance(node, ast.If) and not node.orelse else None
        if not isinstance(node, ast.If) or not isinstance(end, ast.Return) or end.value is None:
            continue
        if _asks_argument(mine, node):
            continue
        block = mine.block(node, ("body", "orelse"))
        rest = block[block.index(node) + 1 :] if block else []
        at = [n for n, one in enumerate(mine.places) if one.node == mine.numbers[end.value]]
        at = [n for n in at if mine.places[n].value == cause.have]
        if not at:
            continue
        kinds = {operation(one) for part in rest for one in ast.walk(part)}
        steps = (comparison.right.nodes[one] for one in _behind(comparison, cause.want))
        if not rest or kinds.isdisjoint(map(operation, steps)):
            continue
        line, first = node.test.lineno, rest[0].lineno
        said = f"Line {line}: {ast.unparse(node.test)} is true here, so line {end.lineno} returns"
        said = f"{said} {ast.unparse(end.value)}, and line {first} does not run. In the reference"
        return line, f"{said} it does: the condition holds too often.", ""
    return None


def _asks_argument(run: Run, node: ast.If) -> bool:
    """Whether a helper that is called in several places asks about what it is given there."""
    helper = run.around(node)
    if helper is None or not read(node.test) & {*parameters(helper)} - {"self"}:
        return False
    return sum(callee(one) == helper.name for one in walked(run.tree)) > 1


def _behind(comparison: Comparison, want: int) -> list[int]:
    """The nodes of the reference that make a value and what it comes from, unless that is known."""
    right, found, todo, seen = comparison.right, [], [want], {want}
    while todo:
        made = right.made[todo.pop()]
        if isinstance(right.nodes[made.node], ast.Call | ast.BinOp):
            found.append(made.node)
        more = [one for one in made.sources if one not in seen and one not in comparison.matched]
        todo, seen = [*todo, *more], {*seen, *more}
    return found
