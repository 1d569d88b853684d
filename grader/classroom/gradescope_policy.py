"""Applies a policy to the results of one submission on Gradescope, which says when it came."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from grader.classroom.roster import Person, by_name
from grader.report.points import tidy
from grader.report.policy import Policy, Rule


class _User(msgspec.Struct):
    name: str | None = None
    email: str | None = None
    sid: str | int | None = None


class _Earlier(msgspec.Struct):
    submission_time: str = ""
    score: float | None = None
    autograder_error: bool = False


class Submission(msgspec.Struct):
    """What Gradescope's ``submission_metadata.json`` says about a submission."""

    created_at: str = ""
    assignment: dict[str, Any] = {}
    users: list[_User] = []
    previous_submissions: list[_Earlier] = []


def read(path: Path) -> Submission:
    """Read the file. Fields that cannot be read count as missing."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Submission)
    except (OSError, msgspec.DecodeError):
        return Submission()


def refused(policy: Policy, step: str, given: Submission, now: datetime) -> str:
    """Return the results of a submission that does not count; empty if it does.

    It keeps the score of the last one that counted.
    """
    rule = policy.rules.get(step, Rule())
    graded = (each for each in given.previous_submissions if not each.autograder_error)
    before = sorted(graded, key=lambda each: each.submission_time)
    if not 0 < rule.submissions <= len(before):
        return ""
    said = (
        f"This is submission {len(before) + 1}. Only the first {rule.submissions} count, so it was "
        f"not run, and the score is that of submission {rule.submissions}."
    )
    score = before[rule.submissions - 1].score or 0
    return _shown(
        {"score": score, "output": said, "output_format": "text"}, policy, rule, given, now
    )


def applied(results: str, policy: Policy, step: str, given: Submission, now: datetime) -> str:
    """Return the results with the lateness penalty; hidden until their time has come."""
    found, rule = json.loads(results), policy.rules.get(step, Rule())
    users = [
        {"Name": each.name or "?", "Email": each.email or "", "SID": str(each.sid or "")}
        for each in given.users
    ]
    called = by_name([Person(columns["Name"], None, columns=columns) for columns in users])
    due, when = rule.due_for(filter(called, rule.extensions)), policy.told(given.created_at)
    if due and when:
        lateness = rule.lateness(when, due)
        if "score" in found:
            found["score"] = tidy(found["score"] * lateness.kept)
        if lateness.note:
            found["output"] = f"{lateness.note}\n{found['output']}"
    return _shown(found, policy, rule, given, now)


def _shown(
    found: dict[str, object], policy: Policy, rule: Rule, given: Submission, now: datetime
) -> str:
    if rule.hidden_until and now < rule.hidden_until:
        dates = (given.assignment.get(name) for name in ("late_due_date", "due_date"))
        theirs = policy.told(str(next(filter(None, dates), "")))
        same = theirs is not None and theirs.astimezone(UTC) == rule.hidden_until
        found["visibility"] = "after_due_date" if same else "hidden"
    return json.dumps(found, indent=2) + "\n"
