"""A right value that gets lost: an entry of it goes on, or it is changed, or its variable is."""

from __future__ import annotations

import ast

import numpy as np

from grader.grading.following.cause import Cause
from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.lesson import Lesson
from grader.grading.following.relations import same
from grader.grading.following.run import Run
from grader.grading.following.trace import Comparison
from grader.grading.reading.bindings import around, bound
from grader.grading.reading.program import target
from grader.grading.reading.shown import Slip
from grader.source.variables import read
from grader.source.walked import of_kind


def cut(lesson: Lesson, result: int | None, wanted: int | None) -> Slip | None:
    """The line that takes one entry of a right value, where the result is one of the right one."""
    comparison = lesson.comparison
    if result is None or wanted is None or not _is_entry(comparison, result, wanted):
        return None
    mine, todo, seen = comparison.mine, [result], {result}
    while todo:
        made = mine.made[todo.pop()]
        node = mine.nodes[made.node]
        whole = made.sources[0] if len(made.sources) == 1 else None
        if isinstance(node, ast.Subscript) and whole is not None and comparison.known(whole):
            if not _takes_one(node.slice):
                return None
            index, text = _index(node), ast.unparse(node.value)
            what = text if len(text) <= MOST_TEXT else lesson.own_name(whole)
            said = f"Line {node.lineno} takes only {index} of {what}"
            return Slip(node.lineno, f"{said}. The reference leaves {index} out.")
        new = [one for one in made.sources if one not in seen]
        todo += new
        seen.update(new)
    return None


def overdone(comparison: Comparison, result: int | None, wanted: int | None) -> Slip | None:
    """The call that changes what is the right result already; not one of what was given.

    Of a multiple of it the factor is told.
    """
    right, mine = comparison.right, comparison.mine
    if result is None or wanted is None or _is_given(right, wanted):
        return None
    relation = comparison.relation(result)
    if relation is not None and relation.kind == "scaled":
        return None
    todo, seen = [result], {result}
    while todo:
        value = todo.pop(0)
        made = mine.made[value]
        node = mine.nodes[made.node]
        new = [one for one in made.sources if one not in seen and mine.made[one].order < made.order]
        for one in new:
            if not _is_right(comparison, one, wanted) or not isinstance(node, ast.Call):
                continue
            text, line = mine.segment(mine.made[one].node), mine.line(made.node)
            said = f"Line {line} changes {text}, which is the right result already."
            short = len(text) <= MOST_TEXT
            whole = ast.unparse(node)
            write = f"{text} in place of {whole}" if len(whole) <= 2 * MOST_TEXT else ""
            return Slip(line, said, write) if short else None
        todo += new
        seen.update(new)
    return None


def _is_right(comparison: Comparison, value: int, wanted: int) -> bool:
    """Whether a value is the reference's; a mask may be another one where more is hidden."""
    array = comparison.mine.arrays[value]
    return comparison.equal(value, wanted) and array is not None and bool(np.isfinite(array).all())


def _is_given(right: Run, value: int) -> bool:
    """Whether the reference only hands a value on that it was given."""
    return isinstance(right.nodes[right.made[value].node], ast.FunctionDef)


def _index(node: ast.Subscript) -> str:
    """The index as it is written, with its brackets."""
    return ast.unparse(ast.Subscript(ast.Name(""), node.slice, ast.Load()))


def _is_entry(comparison: Comparison, result: int, wanted: int) -> bool:
    """Whether a result is one entry of the right one, along one of its axes."""
    have, want = comparison.mine.arrays[result], comparison.right.arrays[wanted]
    if have is None or want is None or not have.ndim or have.ndim + 1 != want.ndim:
        return False
    return any(
        each.shape == have.shape and same(have, each)
        for axis in range(want.ndim - 1)
        for each in np.moveaxis(want, axis, 0)
    )


def _takes_one(index: ast.expr) -> bool:
    """Whether an index is one number, alone or beside slices."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    numbers = [one for one in parts if not isinstance(one, ast.Slice)]
    one = numbers[0].operand if numbers and isinstance(numbers[0], ast.UnaryOp) else None
    one = one or (numbers[0] if numbers else None)
    return len(numbers) == 1 and isinstance(one, ast.Constant) and isinstance(one.value, int)


def replaced(lesson: Lesson, cause: Cause) -> Slip | None:
    """The line that gives a variable a new value while a line below still needs the one before.

    No other variable has that one.
    """
    comparison, want = lesson.comparison, cause.want
    mine, have = comparison.mine, cause.have
    if have is None or want is None or want not in comparison.matched:
        return None
    needed = {one for one in mine.made if comparison.match(one) == want}
    held = {target(*each) for one in needed for each in mine.bindings(one)}
    for name in ast.walk(mine.nodes[cause.node]):
        if not isinstance(name, ast.Name) or have not in mine.values(mine.numbers[name]):
            continue
        made = bound(mine.tree, name.id, name.lineno)
        given = {*mine.made[have].sources} & needed
        if not isinstance(made, ast.Assign) or not given or held - {""} != {name.id}:
            return None
        if name.id not in read(made) or mine.statement(mine.made[have].node) is not made:
            return None
        own, lost = ast.unparse(made.value), lesson.quantity(want)
        own = own if len(own) <= MOST_TEXT else "a new value"
        said = f"Line {made.lineno} puts {own} into {name.id}, in place of"
        said = f"{said} {lost or 'the value before'}, which line {name.lineno} still needs"
        return Slip(made.lineno, f"{said}: it needs a name of its own.")
    return None


def uncalled_helper(tree: ast.Module) -> ast.FunctionDef | None:
    """The one helper of a file that nothing calls or names."""
    every = of_kind(tree, ast.FunctionDef)
    used = {one.id for one in of_kind(tree, ast.Name)}
    used |= {one.attr for one in of_kind(tree, ast.Attribute)}
    idle = [one for one in every if one.name.startswith("_") and not one.name.startswith("__")]
    idle = [one for one in idle if one.name not in used and around(tree, one.lineno) is one]
    return idle[0] if len(idle) == 1 and not idle[0].decorator_list else None
