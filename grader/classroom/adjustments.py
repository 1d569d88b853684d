"""What else affects the points: a bonus or override from a CSV; a better earlier submission.

.. code-block:: text

    student,step,bonus,points
    Ada Lovelace,s05,2,
    bob,,,50

``step`` may be empty if one step is graded. ``points`` replace the score, ``bonus`` adds to it.
An earlier submission is read from the gradebook of its own run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.base.files import Unusable
from grader.classroom.columns import folded
from grader.classroom.roster import Person, by_name, only, read, shown
from grader.classroom.table import harmless
from grader.report.points import tidy

COLUMNS = ("student", "step", "bonus", "points")


@dataclass(frozen=True)
class Adjustment:
    """What is added to the points, and what replaces them, if anything does.

    This comes from ``file``, which calls the person ``who``. ``least`` are the points of the best
    earlier submission, and ``before`` is the folder of its run.
    """

    bonus: float = 0.0
    points: float | None = None
    least: float | None = None
    before: str = ""
    file: str = ""
    who: str = ""

    @property
    def counts(self) -> bool:
        """Whether someone who handed in nothing has points."""
        return bool(self.bonus) or self.points is not None or self.least is not None

    @property
    def note(self) -> str:
        """What the file changes."""
        said = [] if self.points is None else [f"points set to {tidy(self.points)}"]
        said += [f"bonus {tidy(self.bonus):+}"] if self.bonus else []
        return f"{', '.join(said)} ({self.file})" if said else ""


NONE = Adjustment()


def read_adjustments(
    path: Path, people: Sequence[Person], steps: Iterable[str]
) -> dict[tuple[str, str], Adjustment]:
    """Read the adjustments in the file at ``path``, by person's name and step.

    Raises:
        Unusable: it is not such a table, or names an unknown person or step.
    """
    table = read(path)
    if folded("student") not in map(folded, table.header):
        raise Unusable(f"{path}: the first line should be {','.join(COLUMNS)}.")
    every, called = tuple(steps), by_name(people)
    one_step = every[0] if len(every) == 1 else ""
    found = {}
    for cells in table.rows:
        row = {folded(title): cell for title, cell in cells.items()}
        who, step = row.get("student", ""), row.get("step", "") or one_step
        person = only(called(who), who, people, str(path))
        if step not in every:
            raise Unusable(f"{path}: {who}: {step!r} is none of the steps {', '.join(every)}.")
        points = row.get("points", "")
        found[person.name, step] = Adjustment(
            _number(path, who, row.get("bonus", "") or "0"),
            _number(path, who, points) if points else None,
            file=shown(path.name),
            who=who,
        )
    return found


def earlier(
    folder: Path, people: Iterable[Person], most: Mapping[str, float]
) -> dict[tuple[str, str], float]:
    """Read the points in the gradebook of an earlier run, by person's name and step.

    ``most`` has the maximum points of each step.

    Raises:
        Unusable: there is no gradebook, or its maximum points differ.
    """
    path = folder / "gradebook.csv"
    table, found = read(path), {}
    known = {str(harmless(person.name)): person.name for person in people}
    for row in table.rows:
        name = known.get(row.get("student", ""))
        for step, whole in most.items():
            points, of = row.get(f"{step} points", ""), row.get(f"{step} of", "")
            if name is None or not points:
                continue
            if _number(path, name, of) != whole:
                raise Unusable(f"{path}: {step} has {of} points there, and {whole} here.")
            if (before := _number(path, name, points)) > 0:
                found[name, step] = before
    return found


def _number(path: Path, who: str, cell: str) -> float:
    try:
        found = float(cell.replace(",", "."))
    except ValueError:
        found = float("nan")
    if not -1e6 <= found <= 1e6:
        raise Unusable(f"{path}: {who}: {cell!r} is not a number of points.")
    return found
