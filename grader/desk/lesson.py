"""Finds places in a lesson."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.model import Step


def section(step: Step, heading: str) -> str:
    """The text under ``heading``; empty where the lesson cannot be read or lacks it."""
    try:
        text = step.lesson.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    found = re.search(rf"(?ms)^## {re.escape(heading)}$\n(.*?)(?=^## |\Z)", text)
    return found[1].strip() if found else ""


def opening(step: Step, heading: str) -> str:
    """The first prose under ``heading``, as one line without Markdown's marks; may be empty."""
    for paragraph in section(step, heading).split("\n\n"):
        if re.match(r"[^\W\d_]|[`*]{1,2}\w", paragraph):
            return re.sub(r":$", ".", plain(paragraph))
    return ""


def questions(step: Step) -> list[str]:
    """What the lesson asks under "Check yourself", one line each."""
    asked = section(step, "Check yourself").split("Answers:")[0]
    return [plain(one) for one in re.findall(r"(?ms)^\d+\. (.*?)(?=^\d+\. |\Z)", asked)]


def plain(text: str) -> str:
    """One paragraph as one line, without Markdown's marks."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return " ".join(re.sub(r"[*`]{1,2}", "", text).split())
