"""A mask, or another value that no input flows into, of another size than the reference's."""

from __future__ import annotations

import ast

from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.lesson import sizes
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import bound, callee
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError


def missized_mask(comparison: Comparison, error: SeenError) -> Slip | None:
    """Where the one number comes from that gives a mask another size than the reference's.

    The calls that make it are compared in their turns: of another turn the size may be right.
    """
    mine, right = comparison.mine, comparison.right
    code = error.calls[-1].code if error.calls else ""
    node = mine.written(error.line or 0, code)
    for value in mine.latest(node) if node is not None else ():
        made = mine.made[value]
        call, twin = mine.nodes[made.node], _twin(right, mine.nodes[made.node])
        if made.sources or twin is None or not isinstance(call, ast.Call):
            continue
        own, there = _given(mine, made.node), _given(right, right.numbers[twin])
        turn = len(own) - 1
        if turn < 0 or turn >= len(there):
            continue
        have, want = mine.arrays[own[turn]], right.arrays[there[turn]]
        if have is None or want is None or have.shape == want.shape:
            continue
        told = f"makes a mask of shape {sizes(have.shape)}, where the reference has"
        told = f"{told} {sizes(want.shape)}" if "mask" in callee(call) else ""
        if told and (found := _other(mine, right, call, twin, turn)) is not None:
            given, own_number, number = found
            text, source = ast.unparse(given), ast.unparse(call)
            kept = bound(mine.tree, text, call.lineno) if isinstance(given, ast.Name) else None
            line = call.lineno if kept is None else kept.lineno
            said = f"Line {call.lineno}: {source if len(source) <= MOST_TEXT else callee(call)}"
            said = f"{said} {told}: {text} is {own_number:g}"
            said = said if kept is None else f"{said}, from line {line}"
            return Slip(line, f"{said}; the reference has {number:g} there.")
    return None


def _twin(right: Run, call: ast.AST) -> ast.Call | None:
    """The reference's one call of the same function."""
    found = [one for one in right.nodes if isinstance(one, ast.Call)]
    found = [one for one in found if callee(one) == callee(call) != ""]
    return found[0] if len(found) == 1 else None


def _given(run: Run, node: int) -> list[int]:
    """What a call gave in each of its turns."""
    return [one.value for one in run.places if one.node == node and one.part < 0]


def _other(
    mine: Run, right: Run, call: ast.Call, twin: ast.Call, turn: int
) -> tuple[ast.expr, float, float] | None:
    """The one argument that is another number in this turn, with both numbers."""
    words = {one.arg: one.value for one in twin.keywords if one.arg}
    pairs = [*zip(call.args, twin.args, strict=False)]
    pairs += [(one.value, words[one.arg]) for one in call.keywords if one.arg in words]
    found = []
    for given, there in pairs:
        have, want = _number(mine, given, turn), _number(right, there, turn)
        if have is not None and want is not None and have != want:
            found.append((given, have, want))
    return found[0] if len(found) == 1 else None


def _number(run: Run, node: ast.expr, turn: int) -> float | None:
    """The plain number that an argument was in a turn."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return float(node.value)
    some = run.scalars.get(run.numbers[node], ())
    return some[turn].value if turn < len(some) else None
