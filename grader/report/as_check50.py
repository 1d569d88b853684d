"""The report as check50's JSON: https://cs50.readthedocs.io/projects/check50."""

from __future__ import annotations

import json

from grader.base.model import CheckResult, Report, Status
from grader.report.parts import fault, said

PASSED = {Status.PASS: True, Status.FAIL: False, Status.NOT_RUN: None, Status.ERROR: None}
VERSION = "3.5.0"
"""The version of check50 whose format this is."""


def render(report: Report) -> str:
    """The results as a JSON object."""
    checks = ((report.problem,) if report.problem else ()) + report.checks
    found = {
        "slug": f"{report.course}/{report.step}",
        "results": [_result(check, report) for check in checks],
        "version": VERSION,
    }
    return json.dumps(found, indent=2) + "\n"


def _result(check: CheckResult, report: Report) -> dict[str, object]:
    return {
        "name": check.id,
        "description": check.message,
        "passed": PASSED[check.status],
        "log": said(check) if check.status is Status.FAIL else [],
        "cause": None if check.status is Status.PASS else _cause(check, report),
        "data": {},
        "dependency": None,
    }


def _cause(check: CheckResult, report: Report) -> dict[str, str | None]:
    if check.status is Status.ERROR:
        return {"rationale": fault(report), "help": None}
    return {
        "rationale": check.note or next(iter(said(check)), check.message),
        "help": check.hints[0] if check.hints else None,
    }
