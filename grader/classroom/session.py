"""Grades submissions that have no result yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from grader.base.files import Unusable
from grader.base.model import Report, Verdict
from grader.classroom import executors, grading, reports, store, task
from grader.classroom.dispatch import run
from grader.classroom.planning import Plan, Request, options
from grader.classroom.task import Task
from grader.grading import faults

SILENCE_S = 2 * grading.WALL_S
"""Every grading ends within half of this time."""


def graded(
    request: Request,
    plan: Plan,
    keep: store.Store,
    executor: Callable[[], Executor],
    workers: int,
    *,
    here: bool,
) -> Iterator[Report]:
    """Grade what is open; yield each report once it is finished and stored.

    What ran out of time beside others is graded once more alone, so that no grade depends on what
    else ran; that is its second run. If other programs use the processors even then, it has no
    grade yet. The grader's own failures are reports too, but are not stored: the next run tries
    again. ``here``: the executor is on this machine, which is known to be able to confine
    submissions; any other machine checks that itself.

    Raises:
        Unusable: a machine must not grade: it has another grader, or cannot confine.
        OSError: a result cannot be written.
    """
    checked = request.trusted or here
    slow: list[tuple[str, str]] = []
    one = workers == 1
    for each, report in _runs(request, plan, plan.open, executor, 2 * workers, checked, twice=one):
        if not one and _late(report):
            slow.append(each)
        else:
            yield _kept(plan, keep, each, report)
    for each, report in _runs(request, plan, slow, executor, 1, checked, twice=False):
        yield _kept(plan, keep, each, report)


def _runs(
    request: Request,
    plan: Plan,
    todo: Sequence[tuple[str, str]],
    executor: Callable[[], Executor],
    at_once: int,
    checked: bool,
    *,
    twice: bool,
) -> Iterator[tuple[tuple[str, str], Report]]:
    """Yield the reports on ``todo`` as they come; ``twice`` is explained in ``Options``."""
    if not todo:
        return
    tasks = ((each, _task(request, plan, each, checked, twice=twice)) for each in todo)
    try:
        for done in run(tasks, task.grade, executor, at_once, SILENCE_S):
            if isinstance(done.error, task.OtherGrader | task.Unconfined):
                raise Unusable(f"{done.error} Finished results are kept.", status=3)
            yield done.key, reports.finished(done.key[0], done.result, done.error)
    except TimeoutError:
        executors.end_all()
        raise Unusable(
            f"No worker has finished anything for {SILENCE_S / 60:.0f} minutes. Finished results "
            "are kept: the same command resumes.",
            status=3,
        ) from None


def _late(report: Report) -> bool:
    """Whether time ran out, whoever is at fault."""
    return report.verdict is Verdict.TIMEOUT or (
        report.problem is not None and report.problem.id == faults.BUSY
    )


def _kept(plan: Plan, keep: store.Store, each: tuple[str, str], report: Report) -> Report:
    name = plan.names[each]
    if report.verdict is not Verdict.ERROR:
        keep.save(name, report)
    plan.kept[name] = report
    return report


def _task(
    request: Request, plan: Plan, each: tuple[str, str], checked: bool, *, twice: bool
) -> Task:
    step, digest = each
    data = (plan.spool / digest).read_bytes()
    chosen = replace(options(plan.secret, step, digest, request.strict), twice=twice)
    return Task(step, data, chosen, plan.fingerprint, checked)
