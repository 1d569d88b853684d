"""What the grader makes of every mutant of the solutions, wrong everywhere or under a condition.

A mutant that the grader passes is run by the step's own trial (:mod:`tests.graded.direct`), which
does not know the rubric. One that is right there too, everywhere, is held to be equivalent only if
``equivalent.toml`` says why.
"""

from __future__ import annotations

import ast
import functools
import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader.base import course
from tests.graded import conditional, refusal
from tests.graded.conditional import FINE, Cell, Judged
from tests.graded.conditions import Target
from tests.mutate import Mutant, mutants

ALWAYS = "always"
"""The condition of a mutant that has none."""

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


@functools.cache
def of(step: str) -> Sequence[Mutant]:
    """The mutants of the step's solution."""
    return tuple(mutants(course.find(step).solution.read_text(encoding="utf-8")))


def equivalent(step: str) -> Mapping[str, str]:
    """The names of the mutants of ``step`` that are right all the same, each with the reason."""
    groups = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get(step, ())
    return {name: group["reason"] for group in groups for name in group["mutants"]}


def cells(step: str, seed: int, sample: int, *, conditions: bool) -> list[Cell]:
    """The mutants as programs to judge: at most ``sample``, drawn with ``seed``."""
    every = list(
        _under_conditions(step) if conditions else ((one, None, ALWAYS) for one in of(step))
    )
    chosen = random.Random(seed).sample(range(len(every)), min(sample, len(every)))
    right = ast.parse(course.find(step).solution.read_text(encoding="utf-8"))
    found = []
    for one, target, name in (every[index] for index in sorted(chosen)):
        if target is None:
            found.append(Cell(step, one.name, "", name, one.source))
            continue
        text = target.conditions()[name]
        source = conditional.program(right, ast.parse(one.source), target, text)
        found.append(Cell(step, one.name, target.name, name, source))
    return found


def _under_conditions(step: str) -> Iterator[tuple[Mutant, Target | None, str]]:
    right = ast.parse(course.find(step).solution.read_text(encoding="utf-8"))
    known = equivalent(step)
    for one in of(step):
        if one.name not in known:
            for target in conditional.touched(step, right, ast.parse(one.source)):
                for name in target.conditions():
                    yield one, target, name


def judged(cell: Cell, seed: int) -> Judged:
    """What the grader makes of ``cell``, and the truth about it if the grader passes it."""
    from tests.graded import direct

    if cell.condition != ALWAYS:
        return conditional.judged(cell, seed)
    no, _ = refusal.refused(cell.step, cell.source, seed)
    if no:
        return Judged(cell, refused=True, reached=True)
    truth = direct.truth(cell.step, cell.source.encode())
    return Judged(cell, refused=False, reached=True, truth=truth.why, met=True)


def survivors(step: str, found: Sequence[Judged]) -> list[str]:
    """Those that pass and are not known to be right, and those known that fail: a line each."""
    known = equivalent(step)
    lines = []
    for one in found:
        verdict = one.verdict
        if one.cell.condition == ALWAYS:
            listed = one.cell.mistake in known
            bad = listed == one.refused
            verdict = "listed, and refused" if listed else verdict
        else:
            bad = verdict not in FINE
        if bad:
            lines.append(f"{verdict} {step} {one.cell.name} {one.truth or ''}".rstrip())
    return sorted(lines)


def row(step: str, found: Sequence[Judged]) -> str:
    """How many there were of each verdict."""
    counts = Counter(one.verdict for one in found)
    told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    return f"{step} {len(found)} mutants: {told}"
