"""An operation that is made twice, on what the same operation gave."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from grader.grading.following.lesson import sizes
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import callee, functions, targets
from grader.grading.reading.shown import Slip
from grader.protocol.probe import SeenError


def other_axes(comparison: Comparison, error: SeenError) -> Slip | None:
    """The line that gives a helper a tensor of another rank than the ones that it took before."""
    mine, name = comparison.mine, error.function or ""
    helper = functions(mine.tree).get(name)
    if helper is None or len(error.calls) < 2 or name in ("__call__", "forward"):
        return None
    shapes = next(filter(_of_another_rank, _given_shapes(mine, helper)), None)
    if shapes is None:
        return None
    outer, last = error.calls[-2], shapes[-1]
    said = f"Line {outer.line} gives {name} a tensor of shape {sizes(last)}; before, it was given "
    said += f"{sizes(shapes[-2])}."
    called = mine.written(outer.line, outer.code)
    inner = ast.walk(mine.nodes[called]) if called is not None else ()
    parts = [one.slice for one in inner if isinstance(one, ast.Subscript)]
    index = [
        one for part in parts for one in (part.elts if isinstance(part, ast.Tuple) else [part])
    ]
    if len(shapes[-2]) == len(last) + 1 and not all(isinstance(one, ast.Slice) for one in index):
        said += " An index takes its axis away: a slice, with a colon, keeps it."
    return Slip(outer.line, said)


def _given_shapes(mine: Run, helper: ast.FunctionDef) -> Iterable[list[tuple[int, ...]]]:
    """The shapes of the tensors that a helper was given, of one argument after the other."""
    found: dict[int, list[tuple[int, ...]]] = {}
    for place in mine.places:
        tensor = mine.arrays[place.value] if place.node == mine.numbers[helper] else None
        if tensor is not None:
            found.setdefault(place.part, []).append(tensor.shape)
    return found.values()


def _of_another_rank(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether the last of these shapes has another number of axes than all before it."""
    before = {len(one) for one in shapes[:-1]}
    return len(before) == 1 and len(shapes[-1]) not in before


def returned(comparison: Comparison, error: SeenError) -> Slip | None:
    """The line that gives a helper what it gave before, which was right, where an error comes."""
    mine, name = comparison.mine, error.function or ""
    helper = functions(mine.tree).get(name)
    if helper is None or len(error.calls) < 2:
        return None
    number, outer = mine.numbers[helper], error.calls[-2]
    given = [place.value for place in mine.places if place.node == number][-1:]
    gave = [
        place.value
        for place in mine.places
        if mine.function(place.node) == number
        and isinstance(mine.statement(place.node), ast.Return)
        and mine.is_whole(place.node)
    ]
    if not set(given) & set(gave) or not all(map(comparison.known, gave)):
        return None
    before = [
        mine.line(place.node)
        for place in mine.places
        if callee(mine.nodes[place.node]) == name and place.value in given
    ]
    said = f"Line {outer.line} calls {name} twice: on what {name} gave already"
    if before and before[-1] != outer.line:
        said = f"Line {outer.line} calls {name} on what {name} gave on line {before[-1]} already"
    called = mine.written(outer.line, outer.code)
    call = mine.nodes[called] if called is not None else None
    if isinstance(call, ast.Call) and call.args:
        loop: ast.AST | None = call
        while loop is not None and not isinstance(loop, ast.For | ast.FunctionDef):
            loop = mine.parents.get(loop)
        read = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
        if isinstance(loop, ast.For) and not read & {*targets(loop)}:
            over = " and ".join(targets(loop))
            said += f". {ast.unparse(call.args[0])} does not depend on {over}"
    return Slip(outer.line, f"{said}.")
