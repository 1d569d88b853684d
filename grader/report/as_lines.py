"""The report for editors: ``file:line:column: message``, one line for each ❌, as compilers print.

Lines and columns count from 1. What is about the whole file is at line 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from grader.base import sanitize
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.report.parts import fault

MOST = 1000
"""Characters of a line's message."""


def render(report: Report, levels: Mapping[str, int] = MappingProxyType({})) -> str:
    """A line for each ❌ with its hint, and a last one that says how many checks passed.

    ``levels`` says which hint, by check: the last of so many; without it the first.
    """
    checks = ((report.problem,) if report.problem else ()) + report.checks
    failing = [check for check in checks if check.status is Status.FAIL]
    if report.verdict is Verdict.ERROR:
        return f"{report.step}: {_line(fault(report))}\n"
    lines = [_problem(report, check, levels.get(check.id, 1)) for check in failing]
    lines.append(f"{report.step}: {report.score} of {report.max_score} checks passed")
    return "\n".join(lines) + "\n"


def _problem(report: Report, check: CheckResult, level: int) -> str:
    line, column = (check.line, check.column) if check.line else _explained(report)
    hints = check.hints[: max(1, level)][-1:]
    note = "; ".join((check.note or "").splitlines())
    *before, last = filter(None, (check.message, note, *(f"Hint: {hint}" for hint in hints)))
    text = " ".join([*map(_sentence, before), last])
    return f"{sanitize.line(report.file, MOST)}:{line}:{column}: {_line(text)}"


def _explained(report: Report) -> tuple[int, int]:
    """Where the line of the explanation begins; the first line without one."""
    told = report.explanation
    if told is None or told.line is None:
        return 1, 1
    text = next((one.text for one in told.frame if one.number == told.line), "")
    return told.line, len(text) - len(text.lstrip()) + 1


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def _line(text: str) -> str:
    return sanitize.line(" ".join(text.split()), MOST)
