"""Several reports as a table in Markdown: the page of a run on GitHub."""

from __future__ import annotations

from collections.abc import Sequence

from grader.base import sanitize
from grader.base.model import Report, Verdict

MARKS = {Verdict.PASS: "✅", Verdict.ERROR: "⛔"}


def render(reports: Sequence[Report]) -> str:
    """A line for each step: whether it passes, how many checks do, and what to fix first."""
    if not reports:
        return "No step has been started yet.\n"
    lines = ["| | step | checks | fix this first |", "| --- | --- | --- | --- |"]
    lines += [_row(report) for report in reports]
    passed = sum(report.verdict is Verdict.PASS for report in reports)
    return "\n".join([*lines, "", f"{passed} of {len(reports)} steps pass."]) + "\n"


def _row(report: Report) -> str:
    first = report.first_to_fix
    place = f"{first.place.lower()}: " if first is not None and first.line else ""
    told = f"{place}{_cell(first.message)}" if first is not None else ""
    if report.verdict is Verdict.ERROR:
        told = "The grader could not finish. It costs you nothing."
    mark = MARKS.get(report.verdict, "❌")
    step = f"{report.step}: {report.title}"
    return f"| {mark} | {step} | {report.score} of {report.max_score} | {told} |"


def _cell(text: str) -> str:
    """A text in which nothing is Markdown, HTML or the end of a cell."""
    shown = sanitize.line(" ".join(text.split()), 300)
    return "".join(f"&#{ord(each)};" if each in "|<>&`*_[]!~\\#@" else each for each in shown)
