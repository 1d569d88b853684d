"""Grades files of ours inside this process: one import of MAX for hundreds of files.

Everything is the grader's own code, from the worker's probes to the report; only the process
and its walls are missing. So it is for files that we wrote ourselves, and a test compares a
sample with the real pipeline.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from grader import frameworks, pipeline
from grader.base.model import Report, Step, Verdict
from grader.grading.inputs import Drawn, draw
from grader.pipeline import Follow
from grader.protocol.probe import Job, Observation, Outcome, SeenError
from grader.rubric import Evidence, Expect, Floats, load
from grader.sandbox import WorkerPool
from grader.source import SourceProblem, parse, read_file
from grader.worker.imports import OWN
from tests.graded.direct import TooLong, at_most

SECONDS = 20.0
"""For all probes of one file; the slowest of ours takes a twentieth of it."""


class Inside:
    """Takes a job and gives an outcome, as a worker process would.

    ``module`` is the program of the last job. ``enough`` is asked after each observation whether
    to end here.
    """

    def __init__(self, enough: Callable[[Observation], bool] = lambda _: False) -> None:
        self.module: ModuleType | None = None
        self._enough = enough

    outcome: Outcome | None = None
    """That of the first job: what follows explains it."""

    def __enter__(self) -> Inside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to end: no process was started."""

    def finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None = None,
        meanwhile: Iterator[object] | None = None,
        *,
        more: bool = False,
    ) -> Outcome:
        """Run the probes here, after ``meanwhile``. Of the walls only the clock is kept."""
        for _ in meanwhile or ():
            pass
        began = time.process_time()
        outcome = replace(self._outcome(job), spent=time.process_time() - began)
        self.outcome = self.outcome or outcome
        return outcome

    def _outcome(self, job: Job) -> Outcome:
        from grader.worker import imports, instrumentation, probes, program, tries
        from grader.worker.arguments import Arguments

        printed = io.StringIO()
        found: dict[str, Observation] = {}
        under_way: str | None = None
        failed: SeenError | None = None
        notes: list[str] = []
        try:
            with at_most(SECONDS), _borrowed() as ours, _captured(printed):
                runtime = frameworks.current().runtime()
                packages = runtime.framework.importable
                imports.install(job.modules, packages, runtime.finders(notes))
                recorder = instrumentation.Recorder(runtime) if job.follow else None
                module, failed = program.load(job, recorder)
                self.module = module
                arguments = Arguments(runtime, job.configuration)
                subject = probes.Subject(
                    module, job.file, runtime, arguments, recorder, raised=set(job.raised)
                )

                for probe in job.probes if failed is None else ():
                    under_way = probe.name
                    seen = tries.answer(probe, job, subject)
                    if seen.error is not None and seen.error.type_name == TooLong.__name__:
                        # the probe took it for an error of the program's, which a worker cannot
                        line, shown = seen.error.line, printed.getvalue()
                        return Outcome(
                            "timeout", found, failed, probe=under_way, line=line, output=shown
                        )
                    found[probe.name] = seen
                    with _returned(ours):
                        if self._enough(found[probe.name]):
                            break
        except TooLong:
            return Outcome("timeout", found, failed, probe=under_way, output=printed.getvalue())
        return Outcome(
            "done", found, failed, output=printed.getvalue()[:10_000], notes=tuple(notes)
        )


POOLS: list[WorkerPool] = []
"""Those of this process, whose threads import the grader's modules, which a program hides."""


Imports = tuple[dict[str, ModuleType], list[Any]]
"""The modules that are known, and what finds others."""


BORROWED = ("solutions", "submission", "gpt2")


@contextlib.contextmanager
def _borrowed() -> Iterator[Imports]:
    """Give the import system back as it was; yields that."""
    with contextlib.ExitStack() as paused:
        for pool in POOLS:
            paused.enter_context(pool.paused())
        modules, finders = dict(sys.modules), list(sys.meta_path)
        try:
            yield modules, finders
        finally:
            sys.meta_path[:] = finders
            for name in set(sys.modules) - set(modules):
                if name.partition(".")[0] in BORROWED or "nn.module_v3" in name:
                    del sys.modules[name]
            sys.modules.update(modules)


@contextlib.contextmanager
def _returned(ours: Imports) -> Iterator[None]:
    """Our own import system for a moment, while a program has borrowed it."""
    modules, finders = ours
    theirs = dict(sys.modules), list(sys.meta_path)
    _forget_own()
    sys.modules.update(modules)
    sys.meta_path[:] = finders
    try:
        yield
    finally:
        modules.update(sys.modules)
        _forget_own()
        sys.modules.update(theirs[0])
        sys.meta_path[:] = theirs[1]


def _forget_own() -> None:
    """The course's packages: a program knows others of these names than we do."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]


@contextlib.contextmanager
def _captured(printed: io.StringIO) -> Iterator[None]:
    stdin = sys.stdin
    sys.stdin = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield
    finally:
        sys.stdin = stdin


@functools.lru_cache(4)
def inputs(step: Step, seed: int) -> Drawn:
    """Drawn once for all files that are graded from one seed: a program only gets copies.

    What a mistake predicts is computed once too, however many files are compared with it.
    """
    trials = {
        name: replace(trial, expect=trial.expect and _once(trial.expect))
        for name, trial in draw(load.rubric(step), seed).trials.items()
    }
    return Drawn(seed, trials).calculate()


def _once(expect: Expect) -> Expect:
    known: dict[str, Mapping[str, Floats]] = {}

    def same(**knobs: Any) -> Mapping[str, Floats]:
        key = repr(sorted(knobs.items()))
        if key not in known:
            known[key] = expect(**knobs)
        return known[key]

    return same


def grade(step: Step, path: Path, *, seed: int, follow: Follow = Follow.NOT) -> Report:
    """What ``pipeline.grade`` gives for the file, without a process of its own."""
    return graded(step, path, seed=seed, follow=follow)[0]


def graded(
    step: Step, path: Path, *, seed: int, follow: Follow = Follow.NOT, running: Inside | None = None
) -> tuple[Report, Evidence | None]:
    """The report, and the evidence behind it; None if the file could not be run."""
    rubric = load.rubric(step)
    base = Report(step.id, step.title, path.name, Verdict.FAIL, (), seed=seed)
    try:
        source = parse(read_file(path), base.file, frameworks.current().spellings())
    except SourceProblem as problem:
        return pipeline._unreadable(base, rubric, problem, 0.0), None
    drawn, running = inputs(step, seed), running or Inside()
    options = pipeline.Options(seed=seed, follow=follow)
    start: Any = _start if follow is not Follow.NOT else None
    began = time.perf_counter()
    given: Any = running
    report = pipeline._judged(base, step, rubric, source, options, given, began, drawn, start)
    if follow is not Follow.NOT:
        unchanged(path.read_bytes(), step.solution.read_bytes())
    outcome = running.outcome
    known = frameworks.current()
    return report, Evidence(drawn.trials, outcome, known, drawn.expected) if outcome else None


def unchanged(*programs: bytes) -> None:
    """Check that whoever was given the one tree of a program has left it as it was."""
    for data in programs:
        with contextlib.suppress(SourceProblem), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            source = parse(data, "")
            held, new = (
                ast.dump(tree, include_attributes=True)
                for tree in (source.tree, ast.parse(source.text))
            )
            assert held == new


def _start(engine: str) -> Inside:
    return Inside()
