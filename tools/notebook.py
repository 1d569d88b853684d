"""Opens JupyterLab with the course in it: ``./pixiw run notebook``, or ``notebook s05`` for a step.

For a step it first writes ``steps/step_05.ipynb``: the lesson, whose examples are cells, its
figures, and last a cell with the stub that is graded when it is run. A notebook that is there
already is opened as it is. All other arguments go to JupyterLab.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from book.notebook import CELL, examples, still
from book.pages import LIVE
from grader.base import course
from grader.base.files import write_whole
from grader.base.model import Step
from grader.learner import stub
from grader.source.notebook import LESSON
from tools.python.__main__ import become

JUPYTER = ("-m", "jupyterlab", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
SETTINGS = f"--LabApp.app_settings_dir={Path(__file__).with_name('jupyter')}"
SESSION = re.compile(r"^```pycon\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LEFT_OUT = ("Expected report", "Next")  # about the file and its commands
HOW = """\
Run a cell with Shift+Enter. The first one makes `%%grade` and the figures known. The
[glossary](glossary.md) explains every term. Cells run in the order of the lesson: each needs the
ones above it. Change them as you like; only the last one is graded."""
YOUR_CODE = """\
## Your code

Fill in the blanks. When you run the cell, it is graded, and other cells can use what it defines.
Only this cell is graded, so its imports must be in it. `%hint` in a cell of its own gives one more
hint, `%trace` shows what each line computes.

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
    become([*JUPYTER, SETTINGS, *arguments])


def write(step: Step) -> Path:
    """Write the notebook of ``step`` unless there is one; returns its path."""
    path = step.stub.with_suffix(".ipynb")
    if not os.path.lexists(path):
        write_whole(path, json.dumps(notebook(step), indent=1, ensure_ascii=False) + "\n")
        print(f"Wrote {path.relative_to(step.root)}.", file=sys.stderr)
    return path


def notebook(step: Step) -> dict[str, Any]:
    """The notebook of ``step``, in version 4.5 of the format."""
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {
        "cells": [{"id": f"{LESSON}{number}", **one} for number, one in enumerate(_cells(step), 1)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells(step: Step) -> Iterator[dict[str, Any]]:
    text = step.lesson.read_text(encoding="utf-8")
    head, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    yield _markdown("\n\n".join([*head.strip().split("\n\n")[:2], HOW]))
    yield _code("%load_ext grader.notebook")
    for section in sections:
        title = section.splitlines()[0].removeprefix("## ").strip()
        if title not in LEFT_OUT:
            yield from _section(section)
            yield from _figures(step, title)
    yield _markdown(YOUR_CODE.format(file=step.stub.relative_to(step.root).as_posix()))
    yield {**_code(f"%%grade {step.id}\n{stub.cell(step).rstrip()}"), "id": "answer"}


def _section(section: str) -> Iterator[dict[str, Any]]:
    """Prose and examples in turn; an example shows at first what the lesson says that it shows."""
    for number, piece in enumerate(SESSION.split(section)):
        for code, shown in examples(piece) if number % 2 else ():
            output = {"output_type": "stream", "name": "stdout", "text": shown}
            yield _code(code.rstrip(), *([output] if shown else ()))
        if not number % 2 and piece.strip():
            yield _markdown(piece.strip())


def _figures(step: Step, title: str) -> Iterator[dict[str, Any]]:
    """What is live at the end of a section; a figure is at first its picture."""
    for heading, kind, name in LIVE.get(step.id, ()) if step.root == course.HOME else ():
        if heading == title:
            data = {"text/html": still(kind, name), "text/plain": "A figure."}
            output = {"output_type": "display_data", "data": data, "metadata": {}}
            code = CELL.format(kind=kind, name=name)
            yield _code(code, *([output] if kind == "live" else ()))


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(text: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [*outputs],
        "source": text.splitlines(keepends=True),
    }


if __name__ == "__main__":
    main()
