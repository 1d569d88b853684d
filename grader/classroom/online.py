"""What a policy does to the results of one submission on Gradescope, which says when it came.

Its ``submission_metadata.json`` has ``created_at``, the ``users`` of the submission, the
``previous_submissions`` with their ``score``, and the due date of the ``assignment``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from grader.classroom.layout import Student
from grader.classroom.roster import Person, by_name
from grader.report.points import tidy
from grader.report.policy import Policy, Rule

USER = {"name": "Name", "email": "Email", "sid": "SID"}


@dataclass(frozen=True)
class Submission:
    """What Gradescope says of a submission; ``scores`` are those of the ones before, in order."""

    when: datetime | None = None
    due: datetime | None = None
    people: tuple[Person, ...] = ()
    scores: Sequence[float | None] = field(default=())


def read(path: Path, policy: Policy) -> Submission:
    """What the file says. What cannot be read counts as not said."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        told = {}
    told = told if isinstance(told, dict) else {}
    users = [each for each in _list(told.get("users")) if isinstance(each, dict)]
    before = [each for each in _list(told.get("previous_submissions")) if isinstance(each, dict)]
    before.sort(key=lambda each: str(each.get("submission_time", "")))
    dates = told.get("assignment")
    dates = dates if isinstance(dates, dict) else {}
    due = dates.get("late_due_date") or dates.get("due_date") or ""
    return Submission(
        policy.told(str(told.get("created_at", ""))),
        policy.told(str(due)),
        tuple(map(_person, users)),
        [_score(each) for each in before],
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _person(user: Mapping[str, object]) -> Person:
    columns = {title: str(user.get(name) or "") for name, title in USER.items()}
    name = columns["Name"] or columns["Email"]
    return Person(name, Student(name, columns["SID"]), columns=columns)


def _score(submission: Mapping[str, object]) -> float | None:
    with suppress(TypeError, ValueError):
        return float(str(submission["score"])) if "score" in submission else None
    return None


def refused(rule: Rule, given: Submission) -> str:
    """The results of a submission that does not count; empty if it does.

    It keeps the score of the last that counted.
    """
    number = len(given.scores) + 1
    if not rule.submissions or number <= rule.submissions:
        return ""
    last = given.scores[rule.submissions - 1]
    said = (
        f"This is submission {number}. Only the first {rule.submissions} count, so it was not run, "
        f"and the score is that of submission {rule.submissions}."
    )
    return (
        json.dumps({"score": last or 0, "output": said, "output_format": "text"}, indent=2) + "\n"
    )


def applied(results: str, rule: Rule, given: Submission, now: datetime) -> str:
    """The results with what it costs to be late; hidden if their time has not come."""
    found = json.loads(results)
    called = by_name(given.people)
    due = rule.due_for(who for who in rule.extensions if called(who))
    if due and given.when:
        lateness = rule.lateness(given.when, due)
        if "score" in found:
            found["score"] = tidy(found["score"] * lateness.kept)
        if lateness.note:
            found["output"] = f"{lateness.note}\n{found['output']}"
    if rule.hidden_until and now < rule.hidden_until:
        same = given.due is not None and given.due.astimezone(UTC) == rule.hidden_until
        found["visibility"] = "after_due_date" if same else "hidden"
    return json.dumps(found, indent=2) + "\n"
