"""The program in a Jupyter notebook: its code cells, one after the other."""

from __future__ import annotations

import json

from grader.source.read import MOST_BYTES, SourceProblem

LARGEST = 16 << 20
"""Bytes of a notebook, which has the pictures that it shows."""
MAGIC = ("%", "!", "?")
"""What begins a line that is for Jupyter, and no Python."""


def program(data: bytes, name: str) -> bytes:
    """The code cells of a notebook as one Python file; lines for Jupyter become comments.

    Raises:
        SourceProblem: it is no notebook, has no code, or too much.
    """
    try:
        cells = json.loads(data)["cells"]
        codes = [_text(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SourceProblem(f"{name} is not a notebook", hint="Hand in a Python file.") from None
    lines = [
        line for code in codes if not code.lstrip().startswith("%%") for line in code.split("\n")
    ]
    python = [f"# {line}" if line.lstrip().startswith(MAGIC) else line for line in lines]
    found = "\n".join(python).encode("utf-8", "replace") + b"\n"
    if not found.strip():
        raise SourceProblem(f"{name} has no code cells", hint="Hand in a Python file.")
    if len(found) > MOST_BYTES:
        raise SourceProblem(
            f"{name} has more than 256 KiB of code", hint="A step is a page long. Is this the file?"
        )
    return found


def _text(source: object) -> str:
    """The source of a cell, which is a text or a list of its lines."""
    if isinstance(source, list):
        return "".join(map(str, source))
    if isinstance(source, str):
        return source
    raise TypeError("no text")
