"""The program in a Jupyter notebook: the cell that answers the step, else all code cells."""

from __future__ import annotations

import json
import re
from pathlib import Path

from grader.base import course, sanitize
from grader.source import cells
from grader.source.errors import SourceProblem
from grader.source.parser import MOST_BYTES, MOST_NAME, read_file

ENDING = ".ipynb"
LARGEST = 16 << 20
"""Bytes of a notebook, which has the pictures that it shows."""
GRADE = "%%grade"
"""What begins a cell that answers a step, with the name of the step after it."""
LESSON = "lesson-"
"""What begins the id of a cell that is part of the lesson."""
_FIRST = re.compile(rf"{GRADE}\s+(\S+)[^\n]*")


def read_program(path: Path, step: str) -> bytes:
    """The answer to ``step`` (``"s05"``) in the file at ``path``, a notebook or Python.

    Raises:
        SourceProblem: it cannot be read, or it is a notebook without code.
    """
    if path.suffix.lower() != ENDING:
        return read_file(path)
    return program(read_file(path, LARGEST), sanitize.line(path.name, MOST_NAME), step)


def program(data: bytes, name: str, step: str) -> bytes:
    """The answer to ``step`` in a notebook, as one Python file.

    It is the last cell that begins with ``%%grade`` and names the step: what was graded there is
    what counts. In a notebook without such a cell it is all code cells but the lesson's, one after
    the other, read as Jupyter reads them (:mod:`grader.source.cells`).

    Raises:
        SourceProblem: it is no notebook, has no code, or too much.
    """
    try:
        every = json.loads(data)["cells"]
        found = [cell for cell in every if cell["cell_type"] == "code"]
        named = [(str(cell.get("id")), _text(cell["source"])) for cell in found]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SourceProblem(f"{name} is not a notebook", hint="Hand in a Python file.") from None
    codes = [code for id, code in named if not id.startswith(LESSON)]
    graded = [code.lstrip() for _, code in named if _answers(code, step)]
    code = graded[-1] if graded else "\n".join(filter(cells.is_python, codes))
    if not code.strip():
        raise SourceProblem(f"{name} has no code cells", hint="Hand in a Python file.")
    if len(code.encode("utf-8", "replace")) > MOST_BYTES:
        raise SourceProblem(
            f"{name} has more than 256 KiB of code", hint="A step is a page long. Is this the file?"
        )
    return graded_cell(*code.partition("\n")[::2]) if graded else _bytes(cells.program(codes))


def graded_cell(first: str, code: str) -> bytes:
    """A cell as a Python file with the same lines. ``first`` is its ``%%grade``, now a comment."""
    return _bytes(cells.uncoded(f"# {first}\n{cells.python(code)}"))


def _bytes(program: str) -> bytes:
    return program.rstrip("\n").encode("utf-8", "replace") + b"\n"


def _answers(code: str, step: str) -> bool:
    """Whether a cell is to be graded as ``step``. Jupyter ignores blank lines before ``%%``."""
    first = _FIRST.match(code.lstrip())
    named = course.NAME.fullmatch(first[1].lower()) if first else None
    return named is not None and named[1].lstrip("0") == step.removeprefix("s").lstrip("0")


def _text(source: object) -> str:
    """The source of a cell, which is a text or a list of its lines."""
    if isinstance(source, list):
        return "".join(map(str, source))
    if isinstance(source, str):
        return source
    raise TypeError("no text")
