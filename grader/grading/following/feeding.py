"""Ids of another shape than the reference gives its model: where they are made."""

from __future__ import annotations

import ast

import numpy as np

from grader.grading.following.relations import Floats
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import callee
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip

MAKERS = ("Tensor", "constant", "array", "asarray")
"""Functions that make a tensor of a list."""


def unbatched(comparison: Comparison) -> Slip | None:
    """The line that makes the ids which a function is given, in another shape than the reference's.

    The numbers are the same, and there are other axes: ``[3]`` instead of ``[1, 3]``.
    """
    mine, right = comparison.mine, comparison.right
    there = _given(right)
    for key, value in _given(mine).items():
        have, want = mine.arrays[value], right.arrays[there[key]] if key in there else None
        if have is None or want is None or have.ndim == want.ndim or not want.size:
            continue
        if not np.array_equal(have.reshape(-1), want.reshape(-1)) or not _are_ids(want):
            continue
        made = mine.nodes[mine.made[value].node]
        if not isinstance(made, ast.Call) or mine.made[value].sources:
            return None  # it is made of another tensor
        shapes = [str(list(one.shape)) for one in (have, want)]
        line, function = mine.line(mine.made[value].node), key[0]
        said = f"Line {line} makes ids of shape {shapes[0]} for {function}"
        said = f"{said}, where the reference gives it {shapes[1]}."
        new = _listed(made) if want.shape == (1, *have.shape) else ""
        return Slip(line, said, new)
    return None


def _are_ids(array: Floats) -> bool:
    """Whether an array holds whole numbers, and not only one."""
    whole = np.isfinite(array).all() and (array == np.round(array)).all()
    return bool(whole) and len(np.unique(array)) > 1


def _listed(made: ast.Call) -> str:
    """A call that makes a tensor of a list, with that list in another one."""
    if callee(made) not in MAKERS or not made.args:
        return ""
    return ast.unparse(
        ast.Call(made.func, [ast.List(made.args[:1]), *made.args[1:]], made.keywords)
    )


def _given(run: Run) -> dict[tuple[str, str], int]:
    """What each function of a program is given first of all, by its name and the parameter's."""
    functions = {run.numbers[one]: one for one in run.nodes if isinstance(one, ast.FunctionDef)}
    found: dict[tuple[str, str], int] = {}
    for place in run.places:
        function = functions.get(place.node)
        names = [] if function is None else parameters(function)
        first = names[:1] == ["self"]
        if function is not None and place.part == first < len(names):
            found.setdefault((function.name, names[place.part]), place.value)
    return found
