"""What watch shows: pure functions to lines that fit the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.look import paint
from grader.model import Status
from grader.report import as_text

if TYPE_CHECKING:
    from grader.look import Look
    from grader.model import Report

KEYS = (
    ("h", "hint"),
    ("n", "next"),
    ("p", "previous"),
    ("l", "list"),
    ("s", "solution"),
    ("r", "reset"),
    ("q", "quit"),
)


@dataclass(frozen=True)
class View:
    """A text, scrolled down by ``offset`` lines."""

    text: str
    offset: int = 0


def frame(header: str, view: View, how: Look, rows: int) -> tuple[list[str], int]:
    """The lines of the whole screen, ``rows`` at most, and how far the text is scrolled really."""
    bottom = footer(how, more=False)
    room = max(1, rows - len(bottom) - 2)
    body = paint(view.text, how).splitlines()
    if len(body) > room:
        bottom = footer(how, more=True)
        room = max(1, rows - len(bottom) - 2)
    offset = max(0, min(view.offset, len(body) - room))
    width = how.width or 80
    shown = body[offset : offset + room]
    top = header if len(header) <= width else header[: width - 1] + ("…" if how.unicode else ".")
    return [top, "", *shown, *[""] * (room - len(shown)), *bottom], offset


def footer(how: Look, *, more: bool) -> list[str]:
    """The keys, in as many lines as they take."""
    names = [f"{key} {name}" for key, name in (*KEYS, *((("space", "more"),) if more else ()))]
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + 2 + len(name) <= (how.width or 80):
            lines[-1] += f"  {name}"
        else:
            lines.append(name)
    return lines


def report_text(report: Report, how: Look, levels: Mapping[str, int], rows: int) -> str:
    """The whole report; where it does not fit, the checks that hold become one line."""
    text = as_text.render(report, how, levels=levels)
    if len(paint(text, how).splitlines()) <= rows - 3:
        return text
    open_checks = [check for check in report.checks if check.status is not Status.PASS]
    if len(open_checks) == len(report.checks):
        return text
    lines = [f"{how.marks['pass']} {report.score} of {report.max_score} checks hold"]
    lines += _told(report)
    for check in open_checks:
        lines += as_text.one_check(check, how, hint_level=levels.get(check.id, 1))
    lines += [f"Note: {note}" for note in report.notes]
    if report.output:
        lines += ["", "Your program printed:"]
        lines += [f"  | {line}" for line in report.output.splitlines()]
    lines += ["", as_text.closing(report, how)]
    return how.text("\n".join(lines) + "\n")


def _told(report: Report) -> Sequence[str]:
    told = []
    for one in report.diagnosis:
        told.append(f"What happened: {one.message}")
        told += [f"   Lesson: {one.lesson}"] if one.lesson else []
    return told
