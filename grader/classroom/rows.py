"""Makes everyone's rows from the submissions and the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.base.model import Report, Step
from grader.classroom import reports, similarity
from grader.classroom.adjustments import NONE
from grader.classroom.collect import Answer
from grader.classroom.gradebook import Gradebook, Row
from grader.classroom.planning import Plan, Request, adjusted, deadlines, most_of
from grader.classroom.roster import matched
from grader.source.encoding import for_people


def gradebook(request: Request, plan: Plan) -> Gradebook:
    """Return everyone's rows, in the order of the roster or by name."""
    from grader.rubric import load

    found = matched(plan.collected.students, request.roster)
    everyone = found.people
    by_hand = adjusted(request, everyone)
    lateness = deadlines(request, everyone).lateness(plan.collected.answers)
    rows: dict[tuple[str, str], Row] = {}
    for person in everyone:
        for step in request.steps:
            answer = (
                plan.collected.answers.get((person.student, step.id)) if person.student else None
            )
            if answer and person.late and len(request.steps) == 1:  # the worksheet is for one step
                answer = replace(answer, late=True)
            key = person.name, step.id
            late = lateness.get(key)
            if answer and late and late.when:
                answer = replace(answer, late=late.days > 0)
            report = _of(plan, step, answer)
            rows[key] = Row(
                answer,
                report,
                by_hand.get(key, NONE),
                _code(plan, answer),
                answer is not None and (step.id, answer.digest) in plan.again,
                late,
            )
    return Gradebook(
        titles={step.id: step.title for step in request.steps},
        people=everyone,
        rows=rows,
        points=request.points,
        sentences={
            step.id: [(check.id, check.passed) for check in load.rubric(step).checks]
            for step in request.steps
        },
        known={
            step.id: frozenset(one.message for one in load.rubric(step).misconceptions)
            for step in request.steps
        },
        most=most_of(request),
        skipped=(
            *found.notes,
            *plan.collected.skipped,
            *(request.roster.notes if request.roster else ()),
        ),
        roster=request.roster is not None,
        possible=request.roster.possible if request.roster else {},
        columns=request.columns,
        policy=request.policy.file,
        similar=tuple(
            one for step in request.steps for one in similarity.groups(step, _answers(rows, step))
        ),
        nearly=tuple(
            pair for step in request.steps for pair in similarity.pairs(step, _answers(rows, step))
        ),
    )


def _answers(rows: Mapping[tuple[str, str], Row], step: Step) -> dict[str, Answer]:
    """Return the answers to one step, by person."""
    return {
        name: row.answer
        for (name, number), row in rows.items()
        if number == step.id and row.answer and row.answer.digest
    }


def _of(plan: Plan, step: Step, answer: Answer | None) -> Report | None:
    if answer is None or answer.instead:
        return None
    if not answer.digest:
        return reports.unread(step, answer)
    return plan.kept[plan.names[step.id, answer.digest]]


def _code(plan: Plan, answer: Answer | None) -> str:
    """Return the program, for people to read."""
    if answer is None or not answer.digest:
        return ""
    return for_people((plan.spool / answer.digest).read_bytes())
