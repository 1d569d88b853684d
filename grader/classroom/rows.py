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
from grader.classroom.roster import Person, matched
from grader.report.policy import Lateness
from grader.source.encoding import for_people


def gradebook(request: Request, plan: Plan) -> Gradebook:
    """Return everyone's rows, in the order of the roster or by name."""
    from grader.rubric import load

    notes = request.roster.notes if request.roster else ()
    found = matched(plan.collected.students, request.roster)
    everyone = found.people
    by_hand = adjusted(request, everyone)
    lateness = deadlines(request, everyone).lateness(plan.collected.answers)
    rows: dict[tuple[str, str], Row] = {}
    for person in everyone:
        for step in request.steps:
            key = person.name, step.id
            late = lateness.get(key)
            answer = _answer(request, plan, person, step, late)
            again = answer is not None and (step.id, answer.digest) in plan.again
            report, code = _of(plan, step, answer), _code(plan, answer)
            rows[key] = Row(answer, report, by_hand.get(key, NONE), code, again, late)
    rubrics = {step.id: load.rubric(step) for step in request.steps}
    answers = [(step, _answers(rows, step)) for step in request.steps]
    return Gradebook(
        titles={step.id: step.title for step in request.steps},
        people=everyone,
        rows=rows,
        points=request.points,
        sentences={id: [(c.id, c.passed) for c in one.checks] for id, one in rubrics.items()},
        known={
            id: frozenset(mistake.message for mistake in one.misconceptions)
            for id, one in rubrics.items()
        },
        most=most_of(request),
        skipped=(*found.notes, *plan.collected.skipped, *notes),
        roster=request.roster is not None,
        possible=request.roster.possible if request.roster else {},
        columns=request.columns,
        policy=request.policy.file,
        similar=tuple(one for given in answers for one in similarity.groups(*given)),
        nearly=tuple(pair for given in answers for pair in similarity.pairs(*given)),
    )


def _answer(
    request: Request, plan: Plan, person: Person, step: Step, late: Lateness | None
) -> Answer | None:
    """Return what a person handed in. Whether it is late, the policy says before the roster."""
    answer = plan.collected.answers.get((person.student, step.id)) if person.student else None
    if answer and late and late.when:
        return replace(answer, late=late.days > 0)
    if answer and person.late and len(request.steps) == 1:  # the worksheet is for one step
        return replace(answer, late=True)
    return answer


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
