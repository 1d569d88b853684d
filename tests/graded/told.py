"""What a report tells of a mistake first, and what it contradicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from grader import frameworks
from grader.base import course
from grader.base.model import CheckResult, Report
from grader.grading import judge
from grader.pipeline import Follow
from grader.report import as_text, code_frame
from grader.report.style import FILE
from grader.rubric import Evidence, Rubric, load
from grader.source import Finding, SourceProblem, parse
from tests.graded import contradictions
from tests.graded.mistakes import Mistake
from tests.graded.variants import Variant, as_file

PROGRAM = 20.0
"""Seconds of processor time for running a program apart from the grader; most take 0.3."""

QUOTED = re.compile(r"^(\s*(?:Called from l|After l|L)ine \d+): .*$", re.MULTILINE)
"""A line of the learner's program. What the learner wrote names no mistake."""

OWN = re.compile(r"(go(?:es)? wrong on line \d+(?:, in \w+)?): .*?( gives .*)?$")
"""The learner's expression in a sentence of the trace."""

FRAMED = re.compile(r"^ *\d* │.*$", re.MULTILINE)
"""A line of the learner's program in the frame of the explanation."""


def mislabelled(one: Mistake) -> str:
    """How the program differs from what its entry says; empty where it does not."""
    from tests.graded import direct

    truth = direct.truth(one.step, one.source.encode(), seconds=PROGRAM)
    if truth.right:
        return f"it is right (off by {truth.off:.1e})"
    if truth.raised != one.raises:
        return f"raises is {'yes' if one.raises else 'no'}, but: {truth.why}"
    return ""


def shown_first(report: Report, fixed: Mapping[str, str]) -> str:
    """The first ❌ with its line, note and hint, and the explanation, without the learner's code.

    Nor has it the ``fixed`` sentences of run-time checks, which are the same for every mistake:
    "RotaryEmbedding(d_k, max_seq_len, theta) cannot be created" does not say that theta is wrong.
    """
    first = report.first_to_fix
    return "\n".join([*(_said(first, fixed) if first else ()), *_happened(report)])


def _happened(report: Report) -> Iterator[str]:
    """The explanation, without code of the learner's."""
    for line in code_frame.lines(report, FILE):
        yield OWN.sub(r"\1\2", FRAMED.sub("", line))


def _said(check: CheckResult, fixed: Mapping[str, str]) -> Iterator[str]:
    """The lines on one check, as they are printed; of a quoted line its number."""
    sentence = fixed.get(check.id, "").rstrip(":")
    shorter = replace(check, message=check.message.removeprefix(sentence).lstrip(": "))
    for text in as_text.one_check(shorter, FILE):
        yield QUOTED.sub(r"\1", text)


def of_variant(one: Variant, seed: int) -> list[str]:
    """What is wrong with the report on a wrong variant, each with its name."""
    from tests.graded import in_process

    with as_file(one) as path:
        report, evidence = in_process.graded(
            course.find(one.step), path, seed=seed, follow=Follow.FAILING
        )
    text = one.source.decode("utf-8", "replace")
    return [f"{one.name}: {said}" for said in contradicted(one.step, text, (), report, evidence)]


def contradicted(
    step: str, text: str, lines: Sequence[int], report: Report, evidence: Evidence | None
) -> list[str]:
    """What ``contradictions.found`` says of a report on the program ``text``."""
    rubric = load.rubric(course.find(step))
    parts = contradictions.wrong_parts(rubric, evidence, report)
    return contradictions.found(report, text, lines, _findings(step, rubric, text), parts)


def _findings(step: str, rubric: Rubric, text: str) -> dict[str, Finding]:
    """What each source check recognises in the program; nothing where it is no Python."""
    name = f"steps/step_{step.removeprefix('s')}.py"
    try:
        source = parse(text.encode(), name, frameworks.current().spellings())
    except SourceProblem:
        return {}
    return judge.source_findings(rubric, source)
