"""From a file to its report: start the worker, read the source, draw inputs, judge.

Longer than 300 lines, because the order of the steps of a grading is the subject.
"""

from __future__ import annotations

import functools
import hashlib
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from grader import frameworks, sandbox
from grader.base.machine import cores
from grader.base.model import CheckResult, Kind, Report, Status, Step, Trace, Tried, Verdict

if TYPE_CHECKING:
    from grader.explain.meter import Meter
    from grader.explain.repair.suggest import Case
    from grader.explain.state import State
    from grader.explain.trace.follow import Followed
    from grader.grading.conclude import Judge
    from grader.grading.inputs import Drawn
    from grader.protocol.probe import Job, Outcome, SeenError
    from grader.rubric import Rubric
    from grader.source import Finding, Source, SourceProblem

T = TypeVar("T")
P = ParamSpec("P")


class Follow(Enum):
    """Which programs are followed line by line."""

    NOT = "not"
    FAILING = "failing"
    ALWAYS = "always"


@dataclass(frozen=True)
class Options:
    """How to grade: which engine, from which seed, how strictly.

    ``follow`` says which programs are followed line by line, for 0.2 s more; of those that fail,
    a small change that makes them pass is looked for, for at most 1.5 s of processor time. Without
    ``twice``, a program whose time ran out is not run again: who asks does that.
    """

    engine: str = "numpy"
    seed: int | None = None
    strict: bool = False
    mine: bool = False
    follow: Follow = Follow.NOT
    twice: bool = True


def grade(
    step: Step,
    path: Path,
    options: Options = Options(),
    start: Callable[..., sandbox.Worker] = sandbox.start,
    data: bytes | None = None,
    drawn: Drawn | None = None,
    early: Callable[[Report], None] | None = None,
) -> Report:
    """Grade the file at ``path`` as an answer to ``step``.

    The worker imports the framework while this process reads the source and draws the inputs.
    ``start`` returns the worker, for callers that keep some ready; ``data`` is the file's bytes,
    ``drawn`` the inputs, for callers that have them. ``drawn`` overrides the seed of ``options``.
    ``early`` is called with the report before the program is followed, if it will be.

    Whatever breaks here goes into the report; with ``GRADER_TRACEBACK`` set, it is raised.
    """
    try:
        return _graded(step, path, options, start, data, drawn, early)
    except Exception as problem:
        if os.environ.get("GRADER_TRACEBACK"):
            raise
        from grader.grading import faults

        base = replace(_blank(step, path), verdict=Verdict.ERROR, engine=options.engine)
        return faults.of_ours(base, step, problem)


def _blank(step: Step, path: Path) -> Report:
    """A report that says nothing yet."""
    return Report(step.id, step.title, _shown(step, path), Verdict.FAIL, (), course=step.course)


def _graded(
    step: Step,
    path: Path,
    options: Options,
    start: Callable[..., sandbox.Worker],
    data: bytes | None,
    drawn: Drawn | None,
    early: Callable[[Report], None] | None,
) -> Report:
    if options.engine in frameworks.current().compiling:
        from grader.grading import kernels

        kernels.compile_ahead(step, options.engine)
    started = time.perf_counter()
    with start(engine=options.engine) as running:
        from grader.rubric import load  # only now: it imports NumPy
        from grader.source import SourceProblem, parse
        from grader.source.notebook import read_program

        rubric = load.rubric(step)
        seed = drawn.seed if drawn else options.seed
        seed = secrets.randbits(32) if seed is None else seed
        base = replace(_blank(step, path), seed=seed, engine=options.engine)
        try:
            data = read_program(path, step.id) if data is None else data
            base = replace(base, digest=hashlib.sha256(data).hexdigest())
            source = parse(data, base.file, frameworks.current().spellings())
        except SourceProblem as problem:
            running.close()
            found = _unreadable(base, rubric, problem, time.perf_counter() - started)
            return _explained_unread(found, step, rubric, data, options, start)
        return _judged(base, step, rubric, source, options, running, started, drawn, start, early)


def unreadable(step: Step, message: str, hint: str = "") -> Report:
    """The report on a file that could not even be opened."""
    from grader.rubric import load
    from grader.source import SourceProblem

    problem = SourceProblem(message, hint=hint or None)
    return _unreadable(_blank(step, step.stub), load.rubric(step), problem, 0.0)


def _any_numbers(does: Callable[P, T]) -> Callable[P, T]:
    """``does`` without NumPy's warnings: what it judges and explains may be any numbers."""

    @functools.wraps(does)
    def quietly(*given: P.args, **named: P.kwargs) -> T:
        import numpy as np  # only now: the worker starts first

        with np.errstate(all="ignore"):
            return does(*given, **named)

    return quietly


@_any_numbers
def _judged(
    base: Report,
    step: Step,
    rubric: Rubric,
    source: Source,
    options: Options,
    running: sandbox.Worker,
    started: float,
    drawn: Drawn | None = None,
    start: Callable[..., sandbox.Worker] | None = None,
    early: Callable[[Report], None] | None = None,
) -> Report:
    """Without ``start``, a doubtful outcome is not rechecked."""
    from grader.explain.meter import Meter
    from grader.grading.conclude import Judge
    from grader.grading.inputs import draw
    from grader.grading.warm_worker import WarmWorker

    drawn = drawn or draw(rubric, base.seed)
    findings: dict[str, Finding] = {}
    explaining = options.follow is not Follow.NOT
    job = _job(base, step, source.text, drawn, options)
    judge = Judge(base, step, rubric, source, options.strict, drawn, findings)
    meanwhile = _meanwhile(judge, findings, explaining=explaining)
    outcome = running.finish(job, meanwhile=meanwhile, more=explaining)
    options = _afforded(options, outcome)
    found = judge.report(outcome)
    if start is None:
        found = _plainly(found, judge, job, outcome)
        return replace(found, duration_s=time.perf_counter() - started)
    with WarmWorker(start, running if explaining and outcome.ended == "done" else None) as kept:
        if found.verdict not in (Verdict.PASS, Verdict.ERROR):
            found = _second_look(judge, job, outcome, found, kept.fresh, twice=options.twice)
        found = _plainly(found, judge, job, outcome)
        failed = found.verdict in (Verdict.FAIL, Verdict.TIMEOUT)
        if options.follow is Follow.ALWAYS or (failed and options.follow is Follow.FAILING):
            if early is not None:
                early(replace(found, duration_s=time.perf_counter() - started))
            found = _explained(judge, job, outcome, found, options, Meter(kept.start, kept.fresh))
    return replace(found, duration_s=time.perf_counter() - started)


def _meanwhile(judge: Judge, findings: dict[str, Finding], *, explaining: bool) -> Iterator[object]:
    """What this process does while the program runs, in small pieces; fills ``findings``."""
    from grader.grading.judge import each_finding
    from grader.source import certain

    for name, finding in each_finding(judge.rubric, judge.source):
        findings[name] = finding
        yield name
    yield certain(judge.source)
    yield from judge.drawn.calculating()
    if explaining and cores() > 1:  # while another core is busy with the program
        from grader.explain.repair import suggest

        yield suggest


def _afforded(options: Options, outcome: Outcome) -> Options:
    """Without runs that explain, if the program may have forged a reason to be given more time."""
    return replace(options, follow=Follow.NOT) if outcome.announced else options


def _job(base: Report, step: Step, text: str, drawn: Drawn, options: Options) -> Job:
    """What the worker is told to run a program on every probe."""
    from grader.base import course
    from grader.protocol.probe import Job

    return Job(
        file=base.file,
        source=text,
        modules=course.earlier_modules(step, mine=options.mine),
        configuration=course.load(step.root).configuration,
        probes=tuple(trial.probe for trial in drawn.trials.values()),
        engine=options.engine,
        seed=base.seed,
    )


def _second_look(
    judge: Judge,
    job: Job,
    outcome: Outcome,
    found: Report,
    start: Callable[..., sandbox.Worker],
    *,
    twice: bool,
) -> Report:
    """The report, once it is known whose fault a failure is."""
    from grader.grading import faults

    if not faults.doubtful(outcome):
        return found
    if problem := faults.reference_problem(judge.step, job, outcome, start, judge.wrong):
        why = "The course's own solution fails here too"
        late = outcome.ended == "timeout"
        return faults.report(found, judge.rubric.checks, why, problem, busy=late)
    again = faults.once_more(job, outcome)
    if again is None or (outcome.ended == "timeout" and not twice):
        return found
    with start(engine=job.engine) as running:
        second = running.finish(again)
    if second.ended == "killed" and second.problem:
        why = "The process that ran your file was ended, twice"
        return faults.report(found, judge.rubric.checks, why, second.problem)
    return judge.report(second, again.without)


def _explained(
    judge: Judge, job: Job, outcome: Outcome, found: Report, options: Options, meter: Meter
) -> Report:
    """The report with where the program leaves the path, and of one that fails, what helps."""
    from grader.explain import explanation
    from grader.explain.repair.suggest import Case

    trace, followed = _followed(judge, job, outcome, found, options, meter.start)
    found = replace(found, trace=trace)
    if found.verdict not in (Verdict.FAIL, Verdict.TIMEOUT):
        return found
    found = _with_change(Case(judge, job, outcome, found, followed, meter))
    return explanation.agreed(found, judge.rubric, judge.findings)


def _followed(
    judge: Judge,
    job: Job,
    outcome: Outcome,
    found: Report,
    options: Options,
    start: Callable[..., sandbox.Worker],
) -> tuple[Trace | None, tuple[Followed, ...]]:
    """Where the program leaves the path, and both programs; nothing where that cannot be said."""
    whole = options.follow is Follow.ALWAYS
    if outcome.ended != "done" or (found.verdict is not Verdict.FAIL and not whole):
        return None, ()
    from grader.explain.trace import follow

    nothing: tuple[Trace | None, tuple[Followed, ...]] = None, ()

    def followed() -> tuple[Trace | None, tuple[Followed, ...]]:
        evidence = judge.evidence(outcome)
        failed = [one for one in found.checks if one.status is Status.FAIL]
        ran = [one for one in failed if one.kind is Kind.RUNTIME]
        numbers = ran == failed != [] and not any(one.stopped for one in ran)
        settings = follow.Settings(whole, numbers)
        return follow.follow(judge.step, judge.rubric, job, evidence, start, settings)

    return _explaining(followed, nothing)


def _with_change(case: Case) -> Report:
    """The report with its explanation, and a small change of the program that helps, if any."""
    from grader.explain import state
    from grader.explain.repair import suggest

    kept = _explaining(
        lambda: state.kept(case.judge, case.job, case.outcome, case.meter.start), None
    )
    case = replace(case, kept=kept)
    before = case.meter.runs
    change = _explaining(lambda: suggest.suggest(case), None)
    searched = case.meter.runs > before
    return _plainly(
        case.report, case.judge, case.job, case.outcome, change, kept=kept, searched=searched
    )


def _plainly(
    found: Report,
    judge: Judge,
    job: Job,
    outcome: Outcome,
    change: Tried | None = None,
    *,
    kept: State | None = None,
    searched: bool | None = None,
) -> Report:
    """The report with its explanation, for which nothing is run."""
    from grader.explain.explanation import Known

    raised = _raised(outcome)
    known = Known(judge.step, job.source, found, judge.rubric, change, raised, kept, searched)
    return replace(found, explanation=_explaining(known.explained, None))


def _raised(outcome: Outcome) -> SeenError | None:
    """The program's first error."""
    errors = (one.error for one in outcome.observations.values() if one.error is not None)
    return outcome.load_error or next(errors, None)


def _explaining(explain: Callable[[], T], without: T) -> T:
    """What ``explain`` gives; ``without`` it where it fails.

    It looks at a learner's program and at what that did. A report is complete without it.
    """
    try:
        return explain()
    except Exception:
        if os.environ.get("GRADER_TRACEBACK"):
            raise
        return without


@_any_numbers
def _explained_unread(
    found: Report,
    step: Step,
    rubric: Rubric,
    data: bytes | None,
    options: Options,
    start: Callable[..., sandbox.Worker],
) -> Report:
    """The same for a file that is no Python yet: what would be tried must be."""
    if options.follow is Follow.NOT or data is None:
        return found
    from grader.explain.meter import Meter
    from grader.explain.repair.suggest import Case
    from grader.grading.conclude import Judge
    from grader.grading.inputs import draw
    from grader.grading.warm_worker import WarmWorker
    from grader.protocol.probe import Outcome, SeenError
    from grader.source import SourceProblem, parse
    from grader.source.encoding import decoded

    try:
        text = decoded(data, found.file)
    except SourceProblem:
        return found
    drawn = draw(rubric, found.seed).calculate()
    job = _job(found, step, text, drawn, options)
    problem = SeenError("SyntaxError", "", "import", found.problem.line if found.problem else None)
    source = parse(step.solution.read_bytes(), found.file, frameworks.current().spellings())
    judge = Judge(found, step, rubric, source, options.strict, drawn, {})
    with WarmWorker(start) as kept:
        meter = Meter(kept.start, kept.fresh)
        return _with_change(Case(judge, job, Outcome("done", {}, problem), found, (), meter))


def _unreadable(base: Report, rubric: Rubric, problem: SourceProblem, duration: float) -> Report:
    """A report with the one thing to fix first; nothing else was run."""
    first = CheckResult(
        "file",
        Kind.SOURCE,
        Status.FAIL,
        problem.message,
        (problem.hint,) if problem.hint else (),
        line=problem.line,
        text=problem.text,
        column=problem.column,
    )
    rest = tuple(check.waiting("the file can be read") for check in rubric.checks)
    return replace(base, problem=first, checks=rest, duration_s=duration)


def _shown(step: Step, path: Path) -> str:
    """The file as the report names it: relative to the course or to here, if that is shorter."""
    full = path.absolute()
    for base in (step.root, Path.cwd()):
        if full.is_relative_to(base):
            return _text(full.relative_to(base).as_posix())
    return _text(str(full))


def _text(path: str) -> str:
    """A path as text: a name on a disk may be any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")
