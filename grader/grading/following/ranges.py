"""How far a range goes that a program makes, or that a loop runs over, beside the reference's."""

from __future__ import annotations

import ast
import copy

from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import around, bound, callee
from grader.grading.reading.shown import Slip
from grader.source.variables import appended


def miscounted(mine: Run, right: Run) -> Slip | None:
    """The line that gives the one range of a program its end, where the reference's is another."""
    own, other = _end(mine), _end(right)
    if not isinstance(own, ast.Name) or other is None:
        return None
    have, want = mine.held(mine.numbers[own]), right.held(right.numbers[other])
    kept = bound(mine.tree, own.id, own.lineno)
    if kept is None or len(have) != 1 or len(want) != 1 or have == want:
        return None
    said = f"{own.id} is {have[0]:g}, from line {kept.lineno}: {own.id} ends the range of line"
    return Slip(kept.lineno, f"{said} {own.lineno}, and the reference's ends at {want[0]:g}.")


def _end(run: Run) -> ast.expr | None:
    """Where the one range ends that a program makes a tensor of."""
    calls = [n for n in run.nodes if isinstance(n, ast.Call) and operation(n) == "range"]
    given = calls[0].args[:2] if len(calls) == 1 else []
    return given[-1] if given else None


def misfilled(comparison: Comparison, result: int | None, wanted: int | None) -> Slip | None:
    """The loop that fills lists of which the result is made, and takes too many or too few turns."""
    if result is None or (odd := overlong(comparison, result, wanted)) is None:
        return None
    axis, turns, needed, _ = odd
    loop = _filling(comparison.mine, _list_of(comparison.mine, result), axis)
    if loop is None or callee(loop.iter) != "range":
        return None
    said = f"The loop of line {loop.lineno} takes {turns} turns here, and {needed} are needed."
    return Slip(loop.lineno, said, _of_length(loop, needed - turns))


def overlong(
    comparison: Comparison, result: int | None, wanted: int | None
) -> tuple[int, int, int, int] | None:
    """The one axis along which a result made of lists has another size than the reference's.

    With both sizes, and the node of the result.
    """
    mine, right = comparison.mine, comparison.right
    have = None if result is None else mine.arrays[result]
    want = None if wanted is None else right.arrays[wanted]
    if result is None or have is None or want is None or have.ndim != want.ndim:
        return None
    other = [axis for axis in range(have.ndim) if have.shape[axis] != want.shape[axis]]
    if len(other) != 1 or _list_of(mine, result) is None:
        return None
    (axis,) = other
    return axis, have.shape[axis], want.shape[axis], mine.made[result].node


def _list_of(run: Run, value: int) -> ast.Name | None:
    """The variable with a list that a value was made of, and then at most kept in its shape."""
    while True:
        made, array = run.made[value], run.arrays[value]
        node = run.nodes[made.node]
        given = node.args[0] if isinstance(node, ast.Call) and node.args else None
        if isinstance(given, ast.Name) and not run.gave(run.numbers[given]):
            return given
        before = run.arrays[made.sources[0]] if len(made.sources) == 1 else None
        if before is None or array is None or before.shape != array.shape:
            return None
        value = made.sources[0]


def _filling(run: Run, name: ast.Name | None, axis: int) -> ast.For | None:
    """The one loop whose turns append to a list, or ``axis`` steps further in to one of its own."""
    inside = None if name is None else around(run.tree, name.lineno)
    if name is None or inside is None:
        return None
    calls = [one for one in ast.walk(inside) if isinstance(one, ast.Call)]
    found = [(one, entry[1]) for one in calls if (entry := appended(one)) and entry[0] == name.id]
    loops = {run.loop(run.numbers[one]) for one, _ in found}
    if axis == 0 or not loops:
        loop = loops.pop() if len(loops) == 1 else None
        return loop if isinstance(loop, ast.For) else None
    inner = found[0][1]
    return _filling(run, inner, axis - 1) if len(found) == 1 and isinstance(inner, ast.Name) else None


def _of_length(loop: ast.For, more: int) -> str:
    """The range of a loop without the number that makes it too long or too short, if there is one.

    ``more`` are the turns that are lacking.
    """
    changed = copy.deepcopy(loop.iter)
    match changed:
        case ast.Call(args=[ast.BinOp(left=left, op=op, right=ast.Constant(value=int(number)))]):
            if (number if isinstance(op, ast.Sub) else -number) == more and isinstance(
                op, ast.Add | ast.Sub
            ):
                changed.args = [left]
                return ast.unparse(changed)
        case ast.Call(args=[ast.Constant(value=int(first)), last]) if first == more:
            changed.args = [last]
            return ast.unparse(changed)
    return ""
