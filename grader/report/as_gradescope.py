"""The report as Gradescope's ``results.json``."""

from __future__ import annotations

import json

from grader import __version__
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.report import code_frame
from grader.report.parts import said
from grader.report.points import Number, Points
from grader.report.style import FILE

STATUSES = {Status.PASS: "passed", Status.FAIL: "failed", Status.NOT_RUN: "failed"}


def render(report: Report, points: Points | None = None) -> str:
    """The results as a JSON object. A failure of the grader has no score; Gradescope says so."""
    points = points or Points()
    found: dict[str, object] = {
        "output": _head(report),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {
            "step": report.step,
            "seed": report.seed,
            "isolation": report.isolation,
            "version": __version__,
        },
    }
    if report.duration_s:
        found["execution_time"] = round(report.duration_s, 3)
    if report.verdict is not Verdict.ERROR:
        found["score"] = points.score(report)
        found["tests"] = [
            _test(check, number, points.of(report.step, check.id))
            for number, check in enumerate(report.checks, start=1)
        ] + [
            {"name": part.message, "score": part.points, "max_score": part.most}
            for part in points.parts(report)
        ]
    return json.dumps(found, indent=2) + "\n"


def _head(report: Report) -> str:
    """What concerns the whole submission."""
    lines = []
    if report.verdict is Verdict.ERROR:
        lines.append("The grader could not finish. This is not your mistake: submit it again.")
    if report.problem is not None:
        lines += [report.problem.message, *said(report.problem)]
    lines += code_frame.lines(report, FILE)
    lines += [f"Note: {note}" for note in report.notes]
    if report.output:
        lines += ["", "Your program printed:", report.output]
    return "\n".join(lines)


def _test(check: CheckResult, number: int, worth: Number) -> dict[str, object]:
    passed = check.status is Status.PASS
    weighed = {"score": worth if passed else 0, "max_score": worth} if worth else {}
    return {
        "name": check.message,
        "number": str(number),
        **weighed,
        "status": STATUSES.get(check.status, "failed"),
        "output": (check.note or "") if passed else "\n".join(said(check)),
        "tags": [check.kind.value, check.id],
        "visibility": "visible",
    }
