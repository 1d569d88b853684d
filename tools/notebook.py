"""Opens JupyterLab with the course in it: ``./pixiw run notebook``, or ``notebook s05`` for a step.

For a step it first writes ``steps/step_05.ipynb``: the lesson, and a cell with the stub that is
graded when it is run. A notebook that is there already is opened as it is. All other arguments go
to JupyterLab.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.base import course
from grader.base.files import write_whole
from grader.base.model import Step
from grader.learner import stub
from tools.python.__main__ import become

JUPYTER = ("-m", "jupyterlab", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
LEFT_OUT = ("Expected report", "Next")
"""Sections of the lesson that are about the file and its commands."""
AFTER = "Tasks"
"""The section that the cell to fill in follows."""

HOW = """\
Run a cell with Shift+Enter. The first one makes `%%grade` known. The [glossary](glossary.md)
explains every term. To try the examples, insert cells of your own: their Python has MAX and the
course in it."""
YOUR_CODE = """\
## Your code

Fill in the blanks. When you run the cell, it is graded, and other cells can use what it defines.
Only this cell is graded, so its imports must be in it. `%hint` in a cell of its own gives one more
hint, `%trace` shows what each line computes."""
NEXT = """\
## Next

When the report says that all checks passed, you can [hand in](../docs/teaching.md) this notebook
as it is. To work on the code as a file, copy it to `{file}`."""


def main() -> None:
    """Become JupyterLab."""
    arguments = sys.argv[1:]
    if arguments and course.NAME.fullmatch(arguments[0].lower()):
        try:
            step = course.find(arguments[0])
        except course.UnknownStep as problem:
            sys.exit(f"{problem}")
        path = write(step)
        # Without its root, JupyterLab shows the notebook's folder and nothing above it.
        arguments[0:1] = [str(path), f"--ServerApp.root_dir={step.root}"]
    become([*JUPYTER, *arguments])


def write(step: Step) -> Path:
    """Write the notebook of ``step`` unless there is one; returns its path."""
    path = step.stub.with_suffix(".ipynb")
    if not os.path.lexists(path):
        write_whole(path, json.dumps(notebook(step), indent=1, ensure_ascii=False) + "\n")
        print(f"Wrote {path.relative_to(step.root)}.", file=sys.stderr)
    return path


def notebook(step: Step) -> dict[str, Any]:
    """The notebook of ``step``, in version 4.5 of the format."""
    cells = [*_cells(step)]
    return {
        "cells": [{"id": f"cell-{number}", **one} for number, one in enumerate(cells, 1)],
        "metadata": {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells(step: Step) -> Iterator[dict[str, Any]]:
    head, *sections = re.split(
        r"^(?=## )", step.lesson.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    yield _markdown(f"{head.splitlines()[0]}\n\n{HOW}")
    yield _code("%load_ext grader.notebook")
    answered = False
    for section in sections:
        title = section.splitlines()[0].removeprefix("## ").strip()
        if title not in LEFT_OUT:
            yield _markdown(section.strip())
        if title == AFTER:
            answered = True
            yield from _answer(step)
    if not answered:
        yield from _answer(step)
    yield _markdown(NEXT.format(file=step.stub.relative_to(step.root).as_posix()))


def _answer(step: Step) -> Iterator[dict[str, Any]]:
    yield _markdown(YOUR_CODE)
    yield _code(f"%%grade {step.id}\n{stub.cell(step).rstrip()}")


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }


if __name__ == "__main__":
    main()
