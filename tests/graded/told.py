"""What the grader tells of a mistake: whether it names it, and where. Runs in worker processes."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from grader import frameworks
from grader.base import course
from grader.base.model import CheckResult, Report, Status, Verdict
from grader.grading import judge
from grader.grading.pipeline import Follow
from grader.report import as_text, explained
from grader.report.style import FILE
from grader.rubric import Evidence, Rubric, load
from grader.source import Finding, SourceProblem, parse
from tests.graded import contradictions
from tests.graded.mistakes import Mistake
from tests.graded.variants import Variant, as_file

PROGRAM = 20.0
"""Seconds of processor time for running a program apart from the grader; most take 0.3."""

QUOTED = re.compile(r"^(\s*(?:Called from l|L)ine \d+): .*$", re.MULTILINE)
"""A line of the learner's program. What the learner wrote names no mistake."""

OWN = re.compile(r"(the numbers go wrong|goes wrong on line \d+(?:, in \w+)?): .*?( gives .*)?$")
"""The learner's expression in a sentence of the trace."""

FRAMED = re.compile(r"^ *\d* │.*$", re.MULTILINE)
"""A line of the learner's program in the frame of the explanation."""


@dataclass(frozen=True)
class Told:
    """What was told of the mistake ``name``.

    ``first`` is the text shown first: the first ❌ with line, note and hint, and the explanation.
    ``lie`` says how the program is not what its entry says.
    """

    name: str
    step: str
    raises: bool
    first: str
    line: int | None
    named_first: bool
    named: bool
    placed: bool
    contradictions: tuple[str, ...] = ()
    lie: str = ""

    def __str__(self) -> str:
        shown = " ".join(self.first.split())
        return f"{self.name}: {shown[:200]}{'…' if len(shown) > 200 else ''}"


def mistake(one: Mistake, seed: int, *, prove: bool = True) -> Told:
    """Grade the program of ``one`` in this process, once it is proven to be wrong as said."""
    lie = mislabelled(one) if prove else ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"step_{one.step.removeprefix('s')}.py"
        path.write_text(one.source, encoding="utf-8")
        try:
            return _told(one, *_report(one, path, seed), lie)
        except Exception as error:  # noqa: BLE001  a crash of the grader is a finding
            crash = f"the grader crashed: {type(error).__name__}: {error}"
            return Told(
                one.name, one.step, one.raises, crash, None, False, False, False, (crash,), lie
            )


def mislabelled(one: Mistake) -> str:
    """How the program differs from what its entry says; empty where it does not."""
    from tests.graded import direct

    truth = direct.truth(one.step, one.source.encode(), seconds=PROGRAM)
    if truth.right:
        return f"it is right (off by {truth.off:.1e})"
    if truth.raised != one.raises:
        return f"raises is {'yes' if one.raises else 'no'}, but: {truth.why}"
    return ""


def _report(one: Mistake, path: Path, seed: int) -> tuple[Report, Evidence | None]:
    """The report; what breaks on the way is raised, though a report is complete without it."""
    from tests.graded import inside

    with patch.dict(os.environ, {"GRADER_TRACEBACK": "1"}):
        return inside.graded(course.find(one.step), path, seed=seed, follow=Follow.FAILING)


def _told(one: Mistake, report: Report, evidence: Evidence | None, lie: str) -> Told:
    fixed = {check.id: check.failed for check in _rubric(one).checks if check.rule}
    first = shown_first(report, fixed)
    explanation = report.explanation
    line = explanation.line if explanation is not None else None
    told = {check.line for check in report.checks if check.status is Status.FAIL}
    change = explanation.change if explanation is not None else None
    tried = change is not None and change.holds  # it names what to change
    elsewhere = tried or bool(told.intersection(one.lines))
    written = () if elsewhere else one.written  # any of these may change
    wrong = _contradictions(one.step, one.source, written, report, evidence)
    if report.verdict is Verdict.ERROR:
        wrong.append("the grader calls it a fault of its own")
    return Told(
        one.name,
        one.step,
        one.raises,
        first,
        line,
        one.names(first) or tried,
        one.names(shown(report, fixed)) or tried,
        one.beside(line),
        tuple(wrong),
        lie,
    )


def shown_first(report: Report, fixed: Mapping[str, str]) -> str:
    """The first ❌ with its line and note, and the explanation, as :func:`shown` has them."""
    first = report.first_to_fix
    return "\n".join([*(_said(first, fixed) if first else ()), *_happened(report)])


def shown(report: Report, fixed: Mapping[str, str]) -> str:
    """All that a report says, without code of the learner's and what the program printed.

    Nor has it the ``fixed`` sentences of run-time checks, which are the same for every mistake:
    "RotaryEmbedding(d_k, max_seq_len, theta) cannot be created" does not say that theta is wrong.
    """
    checks = (report.problem,) if report.problem else report.checks
    said = [text for check in checks for text in _said(check, fixed)]
    return "\n".join([*said, *_happened(report), *report.notes])


def _happened(report: Report) -> Iterator[str]:
    """The explanation, without code of the learner's."""
    for line in explained.lines(report, FILE):
        yield OWN.sub(r"\1\2", FRAMED.sub("", line))


def _said(check: CheckResult, fixed: Mapping[str, str]) -> Iterator[str]:
    """The lines on one check, as they are printed; of a quoted line its number."""
    sentence = fixed.get(check.id, "").rstrip(":")
    shorter = replace(check, message=check.message.removeprefix(sentence).lstrip(": "))
    if check.id in fixed and check.status is not Status.FAIL:
        return
    for text in as_text.one_check(shorter, FILE):
        yield QUOTED.sub(r"\1", text)


def of_variant(one: Variant, seed: int) -> list[str]:
    """What is wrong with the report on a wrong variant, each with its name."""
    from tests.graded import inside

    with as_file(one) as path:
        report, evidence = inside.graded(
            course.find(one.step), path, seed=seed, follow=Follow.FAILING
        )
    text = one.source.decode("utf-8", "replace")
    return [f"{one.name}: {said}" for said in _contradictions(one.step, text, (), report, evidence)]


def _contradictions(
    step: str, text: str, lines: Sequence[int], report: Report, evidence: Evidence | None
) -> list[str]:
    """What ``contradictions.found`` says of a report on the program ``text``."""
    rubric = load.rubric(course.find(step))
    parts = contradictions.wrong_parts(rubric, evidence, report)
    return contradictions.found(report, text, lines, _findings(step, rubric, text), parts)


def _rubric(one: Mistake) -> Rubric:
    return load.rubric(course.find(one.step))


def _findings(step: str, rubric: Rubric, text: str) -> dict[str, Finding]:
    """What each source check recognises in the program; nothing where it is no Python."""
    name = f"steps/step_{step.removeprefix('s')}.py"
    try:
        source = parse(text.encode(), name, frameworks.current().spellings())
    except SourceProblem:
        return {}
    return judge.source_findings(rubric, source)
