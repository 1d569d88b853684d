"""How far a range goes that a program makes, or that a loop runs over, beside the reference's."""

from __future__ import annotations

import ast
import copy

from grader.grading.following.run import Run, operation
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import around, bound, callee
from grader.grading.reading.shown import Slip
from grader.source.variables import appended

CONVERTS = ("Tensor", "constant", "array", "asarray")
"""Calls that make a tensor or an array of lists."""

FULL = ("zeros", "ones", "empty", "full")
"""Calls that make an array of a size, for the lines below to fill."""


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
    """The loop that fills lists of which the result is made, and takes too many or too few turns.

    Or the line of an array that is filled and has another size.
    """
    if result is None or (odd := overlong(comparison, result, wanted)) is None:
        return None
    axis, more, _ = odd
    name = _list_of(comparison.mine, result)
    kept = None if name is None else _begun(comparison.mine.tree, name)
    match kept:
        case ast.Assign(value=ast.Call(args=[ast.Tuple(elts=sizes) | ast.List(elts=sizes), *_])):
            if name is None or axis >= len(sizes) or callee(kept.value) not in FULL:
                return None
            said = f"Line {kept.lineno} makes {name.id} {ast.unparse(sizes[axis])} long along axis"
            said = f"{said} {axis}: that is too {'long' if more > 0 else 'short'}."
            return Slip(kept.lineno, said)
    loop = _filling(comparison.mine, name, axis)
    if loop is None or callee(loop.iter) != "range":
        return None
    word = "many" if more > 0 else "few"
    turns = f"one turn too {word}" if abs(more) == 1 else f"too {word} turns"
    return Slip(
        loop.lineno, f"The loop of line {loop.lineno} takes {turns}.", _of_length(loop, -more)
    )


def _begun(tree: ast.Module, name: ast.Name) -> ast.Assign | None:
    """The one assignment of a whole variable in its function."""
    inside = around(tree, name.lineno)
    every = (one for one in ast.walk(inside or tree) if isinstance(one, ast.Assign))
    found = [one for one in every if ast.unparse(one.targets[0]) == name.id]
    return found[0] if len(found) == 1 else None


def overlong(
    comparison: Comparison, result: int | None, wanted: int | None
) -> tuple[int, int, int] | None:
    """The one axis along which a result made of lists is longer, or shorter, than the reference's.

    By how much, and the node of the result.
    """
    mine, right = comparison.mine, comparison.right
    have = None if result is None else mine.arrays[result]
    want = None if wanted is None else right.arrays[wanted]
    if result is None or have is None or want is None or have.ndim != want.ndim:
        return None
    other = [axis for axis in range(have.ndim) if have.shape[axis] != want.shape[axis]]
    if len(other) != 1 or _list_of(mine, result) is None:
        return None
    axis = other[0]
    return axis, have.shape[axis] - want.shape[axis], mine.made[result].node


def _list_of(run: Run, value: int) -> ast.Name | None:
    """The variable with lists, or with an array to be filled, that a value was made of.

    Then it was at most kept in its shape.
    """
    while True:
        made, array = run.made[value], run.arrays[value]
        node = run.nodes[made.node]
        made_of = isinstance(node, ast.Call) and operation(node) in CONVERTS and bool(node.args)
        given = node.args[0] if made_of and isinstance(node, ast.Call) else None
        if isinstance(given, ast.Name):
            begun = _begun(run.tree, given)
            filled = begun is not None and callee(begun.value) in FULL
            return given if filled or not run.gave(run.numbers[given]) else None
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
    return (
        _filling(run, inner, axis - 1) if len(found) == 1 and isinstance(inner, ast.Name) else None
    )


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
