"""A right value that gets lost: an entry of it goes on, or it is changed, or its variable is."""

from __future__ import annotations

import ast

from grader.grading.following.cause import Cause
from grader.grading.following.differs import MOST_TEXT
from grader.grading.following.lesson import Lesson
from grader.grading.reading.bindings import around, bound
from grader.grading.reading.program import target
from grader.grading.reading.shown import Slip
from grader.source.variables import read
from grader.source.walked import of_kind


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
