"""How long the course's GPT-2 and Hugging Face's take: ``docs/measured`` as bars."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from itertools import groupby
from typing import Any

from book.drawings.svg import Drawing
from grader.base.course import ROOT

SUBJECTS = ("small", "124M")
SIDES = {"numpy": "NumPy", "max": "MAX", "torch": "PyTorch"}
WIDTH, LEFT, RIGHT, BAR, STEP, GAP = 600, 215, 70, 14, 19, 14

TOLD = (
    "Times of the course's GPT-2 and of Hugging Face's on PyTorch. In each group the longest bar "
    "has the full width. {groups}"
)

Measured = Mapping[str, Any]


def figure() -> str:
    """The drawing as HTML, with what was measured, when, and by which command."""
    files = [_read(name) for name in SUBJECTS]
    groups = [
        (f"{name}, {task}", list(bars))
        for name, kept in zip(SUBJECTS, files, strict=True)
        for task, bars in groupby(kept["figures"], key=lambda each: each["task"])
    ]
    told = " ".join(_told(title, bars) for title, bars in groups)
    height = sum(STEP * len(bars) + GAP for _, bars in groups)
    title = "The course's GPT-2 beside PyTorch"
    drawing = Drawing("speed", WIDTH, height, title, TOLD.format(groups=told))
    top = 0.0
    for title, bars in groups:
        top = _group(drawing, top, title, bars)
    return f'<figure class="picture">\n{drawing.markup()}\n{_caption(files)}\n</figure>'


def _read(name: str) -> Measured:
    path = ROOT / "docs" / "measured" / f"{name}.json"
    kept: Measured = json.loads(path.read_text(encoding="utf-8"))
    return kept


def _group(drawing: Drawing, top: float, title: str, bars: list[Measured]) -> float:
    """One task: a bar for each side, and a line over the middle half of the turns."""
    longest = max(bar["high_s"] for bar in bars)
    room = WIDTH - LEFT - RIGHT
    drawing.text((0, top + 12), title, "title")
    for bar in bars:
        width = room * bar["median_s"] / longest
        drawing.text((LEFT - 8, top + 11), SIDES[bar["side"]], "small", "end")
        drawing.rect((LEFT, top), (width, BAR), "added" if bar["side"] == "torch" else "flow")
        ends = [(LEFT + room * bar[end] / longest, top + BAR / 2) for end in ("low_s", "high_s")]
        drawing.path(ends, "wire")
        drawing.text((ends[1][0] + 6, top + 11), _milliseconds(bar), "small")
        top += STEP
    return top + GAP


def _told(title: str, bars: list[Measured]) -> str:
    said = ", ".join(f"{SIDES[bar['side']]} {_milliseconds(bar)}" for bar in bars)
    return f"{title}: {said}."


def _milliseconds(bar: Measured) -> str:
    value = 1000 * bar["median_s"]
    return f"{value:.0f} ms" if value >= 100 else f"{value:.3g} ms"


def _caption(files: list[Measured]) -> str:
    """What the bars are, and where they come from."""
    first = files[0]
    days = " and ".join(dict.fromkeys(kept["date"] for kept in files))
    versions = ", ".join(f"{name} {version}" for name, version in first["versions"].items())
    commands = ", ".join(f"<code>{escape(kept['command'])}</code>" for kept in files)
    where = f"Measured on {days} on {first['cores']} cores ({first['machine']}; {versions})"
    return (
        "<figcaption>The course on NumPy and compiled by MAX, Hugging Face on PyTorch. Medians; "
        "the thin line is the middle half of the turns. In each group the longest has the full "
        f"width. {escape(where)}: {commands}.</figcaption>"
    )
