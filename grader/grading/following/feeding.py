"""A function that a loop gives a slice which a counter begins: more, or less, than the reference.

What a program has written so far is fed to its model from where it stopped. The loop's counter says
where that was, and one that is wrong raises no error before the model's own tables end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from grader.grading.following.relations import Floats, same
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import bound, callee, calling, targets
from grader.grading.reading.program import parameters
from grader.grading.reading.shown import Slip

MAKERS = ("Tensor", "constant", "array", "asarray")
"""Functions that make a tensor of a list."""

MOST_SHOWN = 6
"""Numbers of a row that are told; of a longer one only how many there are."""


def miscounted(comparison: Comparison) -> Slip | None:
    """The line that sets such a counter, if a call gets a longer or shorter part because of it."""
    mine, right = comparison.mine, comparison.right
    for call, counter in _counted(mine):
        name, found = callee(call), []
        for run in (mine, right):
            own = [n for n in run.nodes if isinstance(n, ast.FunctionDef) and n.name == name]
            found.append(_rows(run, own[0]) if len(own) == 1 else [])
        for at, (have, want) in enumerate(zip(*found, strict=False)):
            if len(have) == len(want) and have != want:
                break  # it is given something else, for another reason
            if have != want:
                if at == 0 or not have or not want:
                    break
                line, given = counter.lineno, targets(counter)[0]
                said = f"Line {call.lineno} gives {name} {_told(have)} where the reference gives it"
                said = f"{said} {_told(want)}: {given}, where the slice begins, is set on line"
                return Slip(line, f"{said} {line}.")
    return None


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


def whole(comparison: Comparison) -> Slip | None:
    """The line that gives all rows of a tensor to a function which is right, and is to get one."""
    mine, right = comparison.mine, comparison.right
    there = _given(right)
    for (name, parameter), value in _given(mine).items():
        at = there.get((name, parameter))
        have, want = mine.arrays[value], None if at is None else right.arrays[at]
        if name not in comparison.proven or have is None or want is None:
            continue
        if not have.ndim > want.ndim == 1 or not have.size:
            continue
        calls = calling(mine.tree, name)
        if len(calls) == 1 and any(same(row, want) for row in have.reshape(-1, have.shape[-1])):
            line, shapes = calls[0].lineno, [str(list(one.shape)) for one in (have, want)]
            said = f"Line {line} gives {name} {parameter} of shape {shapes[0]}. The reference gives"
            return Slip(line, f"{said} it one row of that, {shapes[1]}.")
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


def _counted(run: Run) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Calls in a loop that are given ``x[n:]``, with the one statement of the loop that sets n."""
    for call in run.nodes:
        loop = run.loop(run.numbers[call]) if isinstance(call, ast.Call) and call.args else None
        if not isinstance(call, ast.Call) or loop is None:
            continue
        given: ast.AST | None = call.args[0]
        if isinstance(given, ast.Name):
            given = getattr(bound(run.tree, given.id, call.lineno), "value", None)
        for one in ast.walk(given) if given is not None else ():
            match one:
                case ast.Slice(lower=ast.Name(id=name), upper=None, step=None):
                    inner = [n for n in ast.walk(loop) if isinstance(n, ast.stmt)]
                    sets = [one for one in inner if one is not loop and targets(one) == [name]]
                    if len(sets) == 1:
                        yield call, sets[0]


def _told(row: list[int]) -> str:
    return str(row) if len(row) <= MOST_SHOWN else f"{len(row)} numbers"


def _rows(run: Run, function: ast.FunctionDef) -> list[list[int]]:
    """The row of whole numbers that each call of a function got, as its first tensor."""
    found, last = [], None
    for place in run.places:
        if place.node != run.numbers[function]:
            continue
        array = run.arrays[place.value]
        begins = last is None or place.part <= last
        last = place.part
        if begins and array is not None:
            found.append([int(one) for one in array.reshape(-1)])
    return found
