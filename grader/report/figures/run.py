"""Runs an exhibit on a learner's file, only in the sandboxed worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grader import frameworks, sandbox
from grader.base import course
from grader.base.model import Step
from grader.report.figures.heads import Shown, observed
from grader.rubric.exhibit import Exhibit, View


def draw_program(
    step: Step,
    path: Path,
    exhibit: Exhibit,
    views: tuple[View, ...],
    engine: str = "numpy",
    start: Callable[..., sandbox.Worker] = sandbox.start,
) -> Shown:
    """What the file at ``path`` does with the exhibit's inputs, in a worker from ``start``.

    Raises:
        SourceProblem: the file cannot be read, or is not Python.
        RuntimeError: the worker could not start.
    """
    with start(engine=engine) as running:
        from grader.protocol.probe import Job
        from grader.source import parse
        from grader.source.notebook import read_program

        name = path.name
        framework = frameworks.current()
        source = parse(read_program(path, step.id), name, framework.spellings())
        outcome = running.finish(
            Job(
                file=name,
                source=source.text,
                modules=course.earlier_modules(step),
                configuration=course.load(step.root).configuration,
                probes=(exhibit.trial.probe,),
                engine=engine,
            )
        )
    if outcome.ended == "machine":
        raise RuntimeError(outcome.problem.strip().splitlines()[-1])
    return observed(exhibit, views, outcome, framework)
