"""Finds places in a lesson."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.base.model import Step


ANSWERS = "<details>"
"""Begins the folded answers under "Check yourself"."""


def section(step: Step, heading: str) -> str:
    """Return the text under ``heading``; empty if the lesson cannot be read or lacks it."""
    try:
        text = step.lesson.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    found = re.search(rf"(?ms)^## {re.escape(heading)}$\n(.*?)(?=^## |\Z)", text)
    return found[1].strip() if found else ""


def opening(step: Step, heading: str) -> str:
    """Return the opening prose under ``heading``, as one line without Markdown marks; may be empty.

    A last sentence that introduces a list or an example is omitted if others precede it.
    """
    for paragraph in section(step, heading).split("\n\n"):
        if not re.match(r"[^\W\d_]|[`*]{1,2}\w|√", paragraph):
            break
        sentences = re.split(r"(?<=[.?!]) |(?<=[.?!]\)) ", plain(paragraph))
        if sentences[1:] and sentences[-1].endswith(":"):
            del sentences[-1]
        return re.sub(r":$", ".", " ".join(sentences))
    return ""


def questions(step: Step) -> list[tuple[str, str]]:
    """Return the lesson's questions under "Check yourself", with the answers; one line each."""
    asked, _, answered = section(step, "Check yourself").partition(ANSWERS)
    return list(zip(_numbered(asked), _numbered(answered), strict=False))


def _numbered(text: str) -> list[str]:
    """Return the items of a numbered list."""
    return [plain(one) for one in re.findall(r"(?ms)^\d+\. (.*?)(?=^\d+\. |^\n|\Z)", text)]


def plain(text: str) -> str:
    """Return a paragraph as one line without Markdown marks. Code stays unchanged."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    parts = re.split(r"(`[^`]*`)", text)
    plainer = (part[1:-1] if part[:1] == "`" else re.sub(r"\*{1,2}", "", part) for part in parts)
    return " ".join("".join(plainer).split())
