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
        call = None if comparison.flows(value) else _mask(mine, right, value)
        twin = None if call is None else _twin(right, call)
        if node is None or call is None or twin is None:
            continue
        there = _given(right, right.numbers[twin])
        turn = _turn(comparison, right.numbers[twin])
        turn = len(_given(mine, mine.numbers[call])) - 1 if turn is None else turn
        have, want = mine.arrays[value], right.arrays[there[turn]] if turn < len(there) else None
        unknown = mine.outran(node)
        if have is None or want is None or (have.shape == want.shape and not unknown):
            continue
        told = f"makes a mask of shape {sizes(have.shape)}, where the reference has"
        told = "makes a mask, which in the reference has the shape" if unknown else told
        if (found := _other(mine, right, call, twin, turn)) is not None:
            return _said(mine, call, f"{told} {sizes(want.shape)}", *found)
    return None


def _said(mine: Run, call: ast.Call, told: str, given: ast.expr, own: float, want: float) -> Slip:
    """The line of the number ``own``, which a call is ``given``; the reference has ``want``."""
    text, source = ast.unparse(given), ast.unparse(call)
    kept = bound(mine.tree, text, call.lineno) if isinstance(given, ast.Name) else None
    line = call.lineno if kept is None else kept.lineno
    said = f"Line {call.lineno}: {source if len(source) <= MOST_TEXT else callee(call)}"
    said = f"{said} {told}: {text} is {own:g}"
    said = said if kept is None else f"{said}, from line {kept.lineno}"
    there = f"{want:g} there"
    return Slip(line, f"{said}; the reference has {there}.")


def _mask(mine: Run, right: Run, value: int) -> ast.Call | None:
    """The first call that gave a mask, of a function that the reference calls as well, and once."""
    calls = (mine.nodes[one.node] for one in mine.places if one.value == value and one.part < 0)
    every = (one for one in calls if isinstance(one, ast.Call) and "mask" in callee(one))
    return next((one for one in every if _twin(right, one) is not None), None)


def _twin(right: Run, call: ast.AST) -> ast.Call | None:
    """The reference's one call of the same function."""
    found = [one for one in right.nodes if isinstance(one, ast.Call)]
    found = [one for one in found if callee(one) == callee(call) != ""]
    return found[0] if len(found) == 1 else None


def _turn(comparison: Comparison, twin: int) -> int | None:
    """The turn of the reference's call ``twin`` that is the program's last.

    That is the first after the last value of an input which both have: a program may call in each
    turn of a loop what the reference calls once.
    """
    mine, right = comparison.mine, comparison.right
    for place in reversed(mine.places):
        match = comparison.match(place.value) if comparison.flows(place.value) else None
        if match is not None and match in right.made:
            calls = [n for n, one in enumerate(right.places) if one.node == twin and one.part < 0]
            return sum(n < right.made[match].order for n in calls)
    return None


def _given(run: Run, node: int) -> list[int]:
    """What a call gave in each of its turns."""
    return [one.value for one in run.places if one.node == node and one.part < 0]


def _other(
    mine: Run, right: Run, call: ast.Call, twin: ast.Call, turn: int
) -> tuple[ast.expr, float, float] | None:
    """The one argument that is another number in the reference's turn, with both numbers."""
    words = {one.arg: one.value for one in twin.keywords if one.arg}
    pairs = [*zip(call.args, twin.args, strict=False)]
    pairs += [(one.value, words[one.arg]) for one in call.keywords if one.arg in words]
    found = []
    for given, there in pairs:
        have, want = _number(mine, given, -1), _number(right, there, turn)
        if have is not None and want is not None and have != want:
            found.append((given, have, want))
    return found[0] if len(found) == 1 else None


def _number(run: Run, node: ast.expr, turn: int) -> float | None:
    """The plain number that an argument was in a turn; -1 is the last."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return float(node.value)
    some = run.scalars.get(run.numbers[node], ())
    return some[turn].value if -len(some) <= turn < len(some) else None
