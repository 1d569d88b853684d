"""The files of a step: how each starts out, and which of them a step lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.base import course
from grader.base.model import Step

FILES = Path(__file__).parent / "files"

PLACES: Mapping[str, str] = {
    "solutions/solution_NN.py": "solution.py",
    "steps/step_NN.md": "lesson.md",
    "checks/step_NN/__init__.py": "",
    "checks/step_NN/rubric.py": "rubric.py",
    "checks/step_NN/trials.py": "trials.py",
    "checks/step_NN/oracle.py": "oracle.py",
    "checks/step_NN/mistakes.py": "mistakes.py",
    "checks/step_NN/exhibit.py": "exhibit.py",
    "tests/graded/trial_NN.py": "trial.py",
    "tests/variants/sNN/right/plain.py": "plain.py",
    "tests/variants/sNN/right.edits": "right.edits",
    "tests/variants/sNN/wrong.edits": "wrong.edits",
}
"""Where the files of step NN are, and what each starts as: a file of ``files``."""

NEEDED = (
    "solutions/solution_NN.py",
    "steps/step_NN.md",
    "steps/step_NN.py",
    "checks/step_NN/__init__.py",
    "checks/step_NN/rubric.py",
)
"""What every step has. The others may be shared with another step, or not apply."""

LEAST_RIGHT, LEAST_WRONG = 30, 40
"""The least number of variants of a step."""


class CannotLayOut(ValueError):
    """The files of this step cannot be laid out. The message says why."""


def lay_out(number: str, title: str, root: Path = course.ROOT) -> list[Path]:
    """Write every file of a new step, add the step to ``course.toml``, and return the files.

    Raises:
        CannotLayOut: it is not the number after the last step, or a file already exists.
    """
    due = f"{len(course.steps(root)) + 1:02}"
    if number.zfill(2) != due:
        raise CannotLayOut(f"The next step of the course is {due}, not {number}.")
    files = {root / _for(place, due): begins for place, begins in PLACES.items()}
    if there := [path for path in files if path.exists()]:
        raise CannotLayOut(f"{there[0].relative_to(root)} already exists. Move it away first.")
    for path, begins in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(begins, due, title), encoding="utf-8")
    _enter(root / "course.toml", due, title)
    return list(files)


def missing(step: Step, right: int, wrong: int) -> Iterator[str]:
    """What ``step`` lacks, one sentence each. It has this many right and wrong variants."""
    for place in NEEDED:
        path = step.root / _for(place, step.number)
        if not path.is_file():
            yield f"{path.relative_to(step.root)} is missing."
        elif path.suffix == ".md" and "TODO:" in path.read_text(encoding="utf-8"):
            yield f"{path.relative_to(step.root)} still says TODO."
    folder = f"tests/variants/{step.id}"
    if right < LEAST_RIGHT:
        yield f"{folder} has {right} right programs; at least {LEAST_RIGHT} are needed."
    if wrong < LEAST_WRONG:
        yield f"{folder} has {wrong} wrong programs; at least {LEAST_WRONG} are needed."


def _for(text: str, number: str) -> str:
    return re.sub(r"(?<=[s_ ])NN\b", number, text)


def _text(begins: str, number: str, title: str) -> str:
    """What a file starts as."""
    if not begins:
        return f'"""All that the grader knows about step {number}."""\n'
    text = (FILES / f"{begins}.txt").read_text(encoding="utf-8")
    return _for(text, number).replace("TITLE", title)


def _enter(path: Path, number: str, title: str) -> None:
    """Add the step to the list of steps."""
    text = path.read_text(encoding="utf-8")
    listed, end, rest = text.rpartition("\n]")
    path.write_text(f'{listed}\n  {{ id = "s{number}", title = "{title}" }},{end}{rest}', "utf-8")
