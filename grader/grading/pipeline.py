"""From a file to its report: start the worker, read the source, draw inputs, judge."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader import frameworks, sandbox
from grader.base.model import CheckResult, Diagnosis, Kind, Report, Status, Step, Verdict

if TYPE_CHECKING:
    from grader.frameworks import Framework
    from grader.grading.diagnose import Explanation
    from grader.protocol.probe import Outcome
    from grader.rubric import Floats, Rubric, Ruling, Trial
    from grader.source import Finding, Source, SourceProblem


@dataclass(frozen=True)
class Options:
    """How to grade: which engine, from which seed, and how strictly."""

    engine: str = "numpy"
    seed: int | None = None
    strict: bool = False
    mine: bool = False


@dataclass(frozen=True)
class Drawn:
    """The random inputs of one grading, and what the oracles make of them where that is known."""

    seed: int
    trials: Mapping[str, Trial]
    expected: dict[str, Mapping[str, Floats]] = field(default_factory=dict)

    def calculate(self) -> Drawn:
        """Let the oracles calculate what they have not; returns itself."""
        for name, trial in self.trials.items():
            if trial.expect is not None and name not in self.expected:
                self.expected[name] = trial.expect()
        return self


def draw(rubric: Rubric, seed: int | None = None) -> Drawn:
    """The trials of ``rubric`` from ``seed``, by default a fresh one."""
    import numpy as np

    seed = secrets.randbits(32) if seed is None else seed
    trials = rubric.draw(np.random.default_rng(seed))
    return Drawn(seed, {trial.probe.name: trial for trial in trials})


def grade(
    step: Step,
    path: Path,
    options: Options = Options(),
    start: Callable[..., sandbox.Running] = sandbox.start,
    data: bytes | None = None,
    drawn: Drawn | None = None,
) -> Report:
    """Grade the file at ``path`` as an answer to ``step``.

    The worker imports the framework while this process reads the source and draws the inputs.
    ``start`` gives the worker, for callers that keep some ready; ``data`` the file's bytes and
    ``drawn`` the inputs, for callers that have them. ``drawn`` goes before the seed of ``options``.
    """
    from grader.rubric import load

    if options.engine in frameworks.current().compiling:
        from grader.grading import kernels

        kernels.compile_ahead(step, options.engine)
    started = time.perf_counter()
    with start(engine=options.engine) as running:
        from grader.source import SourceProblem, parse, read_file

        rubric = load.rubric(step)
        seed = drawn.seed if drawn else options.seed
        seed = secrets.randbits(32) if seed is None else seed
        base = Report(
            step.id,
            step.title,
            _shown(step, path),
            Verdict.FAIL,
            (),
            seed=seed,
            engine=options.engine,
            course=step.course,
        )
        try:
            data = read_file(path) if data is None else data
            base = replace(base, digest=hashlib.sha256(data).hexdigest())
            source = parse(data, base.file, frameworks.current().spellings())
        except SourceProblem as problem:
            return _unreadable(base, rubric, problem, time.perf_counter() - started)
        return _judged(base, step, rubric, source, options, running, started, drawn)


def unreadable(step: Step, message: str, hint: str = "") -> Report:
    """The report on a file that could not even be opened."""
    from grader.rubric import load
    from grader.source import SourceProblem

    base = Report(
        step.id, step.title, _shown(step, step.stub), Verdict.FAIL, (), course=step.course
    )
    return _unreadable(base, load.rubric(step), SourceProblem(message, hint=hint or None), 0.0)


def _judged(
    base: Report,
    step: Step,
    rubric: Rubric,
    source: Source,
    options: Options,
    running: sandbox.Running,
    started: float,
    drawn: Drawn | None = None,
) -> Report:
    from grader.base import course
    from grader.grading import excerpt
    from grader.grading.diagnose import diagnose
    from grader.grading.judge import Case, behaves, rule_all, settle, source_findings
    from grader.protocol.probe import Job
    from grader.rubric import Evidence

    framework = frameworks.current()
    drawn = drawn or draw(rubric, base.seed)
    trials = drawn.trials
    findings: dict[str, Finding] = {}

    def meanwhile() -> None:
        findings.update(source_findings(rubric, source))
        drawn.calculate()

    outcome = running.finish(
        Job(
            file=base.file,
            source=source.text,
            modules=course.earlier_modules(step, mine=options.mine),
            configuration=course.load(step.root).configuration,
            probes=tuple(trial.probe for trial in trials.values()),
            engine=options.engine,
        ),
        meanwhile=meanwhile,
    )
    evidence = Evidence(trials, outcome, framework, drawn.expected)
    rulings = rule_all(rubric, evidence)
    explanation = None if behaves(rulings) else diagnose(rubric, evidence)
    checks = settle(Case(rubric, source, evidence, rulings, findings, explanation, options.strict))
    return replace(
        base,
        verdict=_verdict(checks, outcome),
        checks=checks,
        diagnosis=_told(step, checks, explanation, rulings),
        isolation=outcome.isolation,
        duration_s=time.perf_counter() - started,
        output=outcome.output,
        notes=_notes(outcome, framework),
        excerpt=excerpt.cut(evidence, rulings),
    )


def _verdict(checks: tuple[CheckResult, ...], outcome: Outcome) -> Verdict:
    if outcome.ended == "machine" or not checks:
        return Verdict.ERROR
    if all(check.status is Status.PASS for check in checks) and outcome.ended == "done":
        return Verdict.PASS
    return Verdict.TIMEOUT if outcome.ended == "timeout" else Verdict.FAIL


def _told(
    step: Step,
    checks: tuple[CheckResult, ...],
    explanation: Explanation | None,
    rulings: dict[str, Ruling],
) -> tuple[Diagnosis, ...]:
    """The mistakes that explain the numbers, else the first that a rule names itself."""
    from grader.rubric import Failed

    if explanation is None:
        known = (r for r in rulings.values() if isinstance(r, Failed) and r.concept is not None)
        return tuple(
            Diagnosis(ruling.concept, ruling.hint or ruling.message or "", ruling.line)
            for ruling in known
            if ruling.concept is not None
        )[:1]
    lines = {check.id: check.line for check in checks}
    lesson = step.lesson.relative_to(step.root).as_posix()
    return tuple(
        Diagnosis(
            one.id,
            one.message,
            next((lines[name] for name in one.blames if lines.get(name)), None),
            f'{lesson}, "{one.lesson}"' if one.lesson else None,
        )
        for one in explanation.mistakes
    )


def _notes(outcome: Outcome, framework: Framework) -> tuple[str, ...]:
    # Of the worker's notes only the known: the file could send any text in its place.
    known = framework.notes
    return tuple(known[note] for note in known if note in outcome.notes) + (
        (outcome.problem,) if outcome.problem else ()
    )


def _unreadable(base: Report, rubric: Rubric, problem: SourceProblem, duration: float) -> Report:
    """A report with the one thing to mend first; nothing else was run."""
    first = CheckResult(
        "file",
        Kind.SOURCE,
        Status.FAIL,
        problem.message,
        (problem.hint,) if problem.hint else (),
        line=problem.line,
        text=problem.text,
    )
    rest = tuple(
        CheckResult(
            check.id,
            check.kind,
            Status.NOT_RUN,
            check.passed,
            note="Waits for: the file can be read",
        )
        for check in rubric.checks
    )
    return replace(base, problem=first, checks=rest, duration_s=duration)


def _shown(step: Step, path: Path) -> str:
    """The file as the report names it: relative to the course or to here where that is shorter."""
    full = path.absolute()
    for base in (step.root, Path.cwd()):
        if full.is_relative_to(base):
            return full.relative_to(base).as_posix()
    return str(full)
