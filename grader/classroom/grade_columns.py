"""Chooses the roster's column for the grades of a step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from grader.base import course
from grader.base.files import Unusable
from grader.classroom.columns import folded

MOST = re.compile(r"(?:MaxPoints|Total Pts):\s*([\d.,]+)")
"""How Brightspace and Blackboard give a column's maximum points in its title."""
NUMBER = r"\s*\((\d+)\)"
"""How Canvas numbers the column of an assignment."""


def canvas(columns: Sequence[str], step: str, title: str) -> str:
    """Return the assignment's column in Canvas' export, with its number; else a new assignment.

    Raises:
        Unusable: several columns may be meant.
    """
    new = f"Step {step.removeprefix('s')}: {title}"
    whole = re.compile(re.escape(new) + NUMBER, re.IGNORECASE)
    exact = [column for column in columns if whole.fullmatch(column)]
    return _only("canvas", step, exact or _named(columns, step, NUMBER)) or new


def roster(columns: Sequence[str], step: str, _title: str = "") -> str:
    """Return the step's column in the roster; else a new one, named as Brightspace requires.

    Raises:
        Unusable: several columns may be meant.
    """
    fitting = _named(columns, step, MOST.pattern + ".*") or _named(columns, step)
    return _only("roster", step, fitting) or f"Step {step.removeprefix('s')} Points Grade"


def chosen(given: Sequence[str], steps: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the columns that a teacher names, by step: ``s05=Step 05 (99)``, or just a title.

    A title may be shortened, or be the number that Canvas or Blackboard writes into it.

    Raises:
        Unusable: there is no such column, or the column or the step is ambiguous.
    """
    found: dict[str, str] = {}
    for text in given:
        before, equals, after = text.partition("=")
        said = course.NAME.fullmatch(before.strip().lower()) if equals else None
        step = f"s{int(said[1]):02}" if said else steps[0]
        if step not in steps or (not said and len(steps) > 1):
            those = f"the steps are {', '.join(steps)}"
            raise Unusable(f"--column {text!r}: say for which step: 's05=TITLE'; {those}.")
        if step in found:
            raise Unusable(f"--column names two columns for {step}. Name one.")
        if not columns:
            raise Unusable("--column names a column of the roster. Add --roster.")
        found[step] = _meant((after if said else text).strip(), columns)
    return found


def _meant(title: str, columns: Sequence[str]) -> str:
    number = title.strip("()|")
    found = [column for column in columns if folded(column) == folded(title)] or [
        column
        for column in columns
        if folded(title)
        and (
            folded(column).startswith(folded(title))
            or column.endswith((f"({number})", f"|{number}"))
        )
    ]
    if not found:
        raise Unusable(f"--column: the roster has no column {title!r}. It has {_both(columns)}.")
    if len(found) > 1:
        raise Unusable(f"--column {title!r} fits {_both(found)}. Write the whole title.")
    return found[0]


def _only(form: str, step: str, fitting: Sequence[str]) -> str:
    """Return the only one that fits; empty if none does."""
    if len(fitting) > 1:
        raise Unusable(
            f"{form}.csv: the points of {step} may go into {_both(fitting)}. "
            f"Name one: --column {f'{step}={fitting[-1]}'!r}"
        )
    return next(iter(fitting), "")


def _both(columns: Sequence[str]) -> str:
    named = [repr(column) for column in columns]
    return " or ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _named(columns: Sequence[str], step: str, end: str = "") -> list[str]:
    """Return the columns that begin with a step's name and end with the pattern ``end``."""
    number = int(step.removeprefix("s"))
    named = re.compile(rf"(?:step[ _-]*|s)0*{number}(?!\d).*{end}", re.IGNORECASE)
    return [column for column in dict.fromkeys(columns) if named.fullmatch(column)]


COLUMN_OF: Mapping[str, Callable[[Sequence[str], str, str], str]] = {
    "canvas": canvas,
    "roster": roster,
}
"""For each format, chooses the column for a step's grades from the columns, step and title."""
