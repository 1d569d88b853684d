"""Variants of one's own for tests: a right program, and one without the scale in every form."""

from __future__ import annotations

from pathlib import Path

PLAIN = """\
import math


def scale(scores, size):
    return scores / math.sqrt(size)


def attend(query, key, value):
    scores = query @ key
    scores = scale(scores, query.shape[-1])

    return softmax(scores) @ value


def attend_twice(query, key, value):
    value = attend(query, key, value)

    return attend(query, key, value)
"""

HEADER = "# concept: missing-scale\n# check: scale, output\n"

NO_SCALE = PLAIN.replace("    scores = scale(scores, query.shape[-1])\n", "")

ENTRY = """\
=== no_scale
base: plain
concept: missing-scale
check: scale, output
@@
-    scores = scale(scores, query.shape[-1])
"""


def lay_out(folder: Path) -> Path:
    """Variants of step 05 with one right program, and no edits yet."""
    (folder / "s05" / "right").mkdir(parents=True)
    (folder / "s05" / "wrong").mkdir()
    (folder / "s05" / "right" / "plain.py").write_text(PLAIN)
    return folder


def put(folder: Path, text: str, side: str = "wrong") -> Path:
    """Write the file of edits of one side."""
    path = folder / "s05" / f"{side}.edits"
    path.write_text(text)
    return path
