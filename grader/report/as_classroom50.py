"""The report as Classroom 50's ``result.json``, schema ``classroom50/result/v1``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from grader.base.model import Report, Status
from grader.report.points import Number, Points

SCHEMA = "classroom50/result/v1"
TAG = "submit/"
"""A submission is a tag that starts like this."""


def render(report: Report, given: Mapping[str, str], now: str, points: Points | None = None) -> str:
    """The result as a JSON object.

    ``given`` are the environment variables of Classroom 50's runner, ``now`` the time in UTC as
    ISO 8601. A missing variable is replaced by a value that no collector takes for a
    student's.
    """
    points = points or Points()
    whole = _whole(points, report)
    found = {
        "schema": SCHEMA,
        **_identity(report, given),
        "datetime": given.get("SUBMISSION_DATETIME") or now,
        "graded_at": now,
        "score": whole(points.score(report)),
        "max-score": whole(points.most(report)),
        "tests": [
            {
                "test-name": message,
                "passed": status is Status.PASS,
                "score": whole(got),
                "max-score": whole(most),
                "check": name,
                "status": status.value,
                "hint": hint,
            }
            for name, message, status, got, most, hint in _tests(report, points)
        ],
    }
    return json.dumps(found, indent=2) + "\n"


def _tests(
    report: Report, points: Points
) -> Iterator[tuple[str, str, Status, Number, Number, str]]:
    """Each check, then each part beside them: id, sentence, status, points of how many, hint."""
    for one in report.checks:
        most = points.of(report.step, one.id)
        hint = one.hints[0] if one.hints and one.status is Status.FAIL else ""
        yield one.id, one.message, one.status, most * (one.status is Status.PASS), most, hint
    for part in points.parts(report):
        status = Status.PASS if part.points == part.most else Status.FAIL
        yield part.id, part.message, status, part.points, part.most, ""


def _whole(points: Points, report: Report) -> Callable[[Number], int]:
    """Makes points whole numbers, which is all that Classroom 50 takes: halves count double."""
    every = [points.of(report.step, check.id) for check in report.checks]
    every += [part.points for part in points.parts(report)] + [points.most(report)]
    factor = 1 if all(each == int(each) for each in every) else 2
    return lambda each: int(each * factor)


def _identity(report: Report, given: Mapping[str, str]) -> dict[str, str]:
    """Whose submission it is, as the runner says, or as GitHub Actions does."""
    tag = given.get("SUBMISSION_TAG") or f"{TAG}local"
    repository = given.get("GITHUB_REPOSITORY") or "local/local"
    home = f"{given.get('GITHUB_SERVER_URL') or 'https://github.com'}/{repository}"
    commit = given.get("COMMIT_URL") or f"{home}/commit/{given.get('GITHUB_SHA') or 'local'}"
    return {
        "classroom": given.get("CLASSROOM") or "local",
        "assignment": given.get("ASSIGNMENT") or report.step,
        "assignment_type": given.get("ASSIGNMENT_TYPE") or "individual",
        "owner": given.get("OWNER") or given.get("USERNAME") or repository.split("/")[0],
        "submission": tag,
        "commit": commit,
        "release": given.get("RELEASE_URL") or f"{home}/releases/tag/{quote(tag, safe='')}",
        "review": given.get("REVIEW_URL") or commit,
    }
