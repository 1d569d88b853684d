"""Runs small NumPy programs through the worker's recorder: recorded runs without a worker."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from grader import frameworks
from grader.explain.trace.alignment import Comparison
from grader.explain.trace.run import Run
from grader.worker import instrumentation


def run(source: str, name: str, *args: Any) -> Run:
    """What ``name(*args)`` computes in a program; where it raises an error, up to there."""
    recorder = instrumentation.Recorder(frameworks.load("numpy").runtime())
    space: dict[str, Any] = {instrumentation.SEE: recorder.see}
    exec(compile(instrumentation.rewritten(source, "program.py"), "program.py", "exec"), space)
    with suppress(Exception):  # a program with a mistake
        space[name](*args)
    return Run(source, recorder.trail())


def compared(mine: str, right: str, name: str, *args: Any, proven: str = "") -> Comparison:
    """Two programs on the same arguments."""
    return Comparison(run(mine, name, *args), run(right, name, *args), (), frozenset({proven}))


def edited(program: str, *edits: tuple[str, str]) -> str:
    """A program with some places changed, each of which it has once."""
    for old, new in edits:
        assert program.count(old) == 1, old
        program = program.replace(old, new)
    return program
