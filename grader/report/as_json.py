"""The report as one JSON object, schema ``report/v2``: that of v1, and the explanation."""

from __future__ import annotations

import json
from dataclasses import asdict

from grader import __version__
from grader.base.model import CheckResult, Report


def render(report: Report) -> str:
    """The report as one line-broken JSON object, newline at the end."""
    return json.dumps(as_dict(report), ensure_ascii=False, indent=2) + "\n"


def as_dict(report: Report) -> dict[str, object]:
    """The fields of ``report/v2``, ready for any encoder."""
    checks = ((report.problem,) if report.problem else ()) + report.checks
    return {
        "schema": "report/v2",
        "version": __version__,
        "step": report.step,
        "title": report.title,
        "file": report.file,
        "verdict": report.verdict.value,
        "score": report.score,
        "max_score": report.max_score,
        "checks": [_check(check) for check in checks],
        "first_to_fix": report.first_to_fix.id if report.first_to_fix else None,
        "diagnosis": [
            {"misconception": one.misconception, "message": one.message, "line": one.line}
            for one in report.diagnosis
        ],
        "explanation": asdict(report.explanation) if report.explanation else None,
        "notes": list(report.notes),
        "output": report.output,
        "seed": report.seed,
        "engine": report.engine,
        "isolation": report.isolation,
        "duration_s": round(report.duration_s, 3),
    }


def _check(check: CheckResult) -> dict[str, object]:
    return {
        "id": check.id,
        "kind": check.kind.value,
        "status": check.status.value,
        "message": check.message,
        "hints": list(check.hints),
        "line": check.line,
        "note": check.note,
        "waits_for": check.waits_for,
    }
