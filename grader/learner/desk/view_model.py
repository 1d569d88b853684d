"""What the page shows, as plain values for JSON: pure functions of the grader's results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.base.model import Status, Verdict
from grader.learner import hints, navigation, pages
from grader.learner.progress import UNTOUCHED
from grader.report import as_margin, as_text, code_frame, parts
from grader.report.figures import failure, svg
from grader.report.figures.heatmap import spoken
from grader.report.style import Style
from grader.rubric import load

if TYPE_CHECKING:
    from grader.base.model import CheckResult, Excerpt, Margin, Report, Step
    from grader.learner.attempt import Attempt
    from grader.learner.progress import Progress
    from grader.report.figures.heads import Shown
    from grader.report.figures.heatmap import Figure

STYLE = Style()
FIGURES = 4
"""How many figures are shown; a whole GPT-2 has one for each layer."""
CELL = 20
"""Largest size of a heatmap's cell, in CSS pixels."""
Values = dict[str, Any]
Anchors = Mapping[str, str]
"""Maps headings of a lesson to their ids on the page."""


def report(
    step: Step, steps: Sequence[Step], found: Attempt, anchors: Anchors, *, whole: bool
) -> Values:
    """Convert one grading. Not ``whole``: the trace is still to come."""
    said = found.report
    passed = said.verdict is Verdict.PASS
    return {
        "digest": said.digest,
        "whole": whole,
        "verdict": said.verdict.value,
        "score": said.score,
        "of": said.max_score,
        "closing": as_text.closing(said, STYLE),
        "first": said.first_to_fix.id if said.first_to_fix else None,
        "checks": _checks(step, found, anchors),
        "waiting": [] if said.problem else parts.waiting(said),
        "explanation": _explanation(said, hints.shown(found.known)),
        "margin": [_margin(one) for one in as_margin.marked(said.trace)] if said.trace else [],
        "figure": _excerpt(said.excerpt),
        "notes": list(said.notes),
        "output": said.output,
        "after": _after(step, steps, found) if passed else _after_error(said),
        "note": found.note or "",
        "seconds": round(said.duration_s, 3),
    }


def failed(problem: Exception) -> Values:
    """Convert a grading that failed: like a report without checks."""
    return {
        "digest": "",
        "whole": True,
        "verdict": Verdict.ERROR.value,
        "closing": f"The grader failed: {problem}. This is not your mistake. Save again.",
        "after": pages.after_error(),
    }


def figures(drawn: Shown) -> Values:
    """Draw what the program's heads attend to; where they are wrong, beside the right picture."""
    return {
        "figures": [_figure(one) for one in drawn.figures[:FIGURES]],
        "remarks": list(drawn.remarks),
        "right": drawn.right,
    }


def progress(steps: Sequence[Step], known: Progress) -> list[Values]:
    """Convert every step, and how far it is done."""
    return [
        {
            "id": step.id,
            "title": step.title,
            "state": navigation.state(step, one := known.get(step.id, UNTOUCHED)),
            "score": one.score,
            "of": one.of,
            "attempts": one.attempts,
        }
        for step in steps
    ]


def _checks(step: Step, found: Attempt, anchors: Anchors) -> list[Values]:
    """Convert the checks that were run, or say why none was."""
    said = found.report
    if said.problem is not None:
        return [_check(said.problem, 1, None, anchors)]
    headings = {check.id: check.lesson for check in load.rubric(step).checks}
    levels, settled = hints.shown(found.known), as_text.settled(said)
    return [
        {
            **_check(check, levels.get(check.id, 1), headings.get(check.id), anchors),
            **({"hints": [], "settled": as_text.SETTLED} if check.id in settled else {}),
        }
        for check in said.checks
        if check.waits_for is None
    ]


def _check(check: CheckResult, level: int, heading: str | None, anchors: Anchors) -> Values:
    failing = check.status in (Status.FAIL, Status.ERROR)
    return {
        "id": check.id,
        "status": check.status.value,
        "message": check.message,
        "line": check.line if failing else None,
        "text": (check.text or "") if failing else "",
        "note": check.note or "",
        "hints": list(check.hints[:level]) if failing else [],
        "section": _section(heading, anchors),
    }


def _explanation(said: Report, levels: Mapping[str, int]) -> Values | None:
    """Convert the explanation that a terminal draws, in parts, and the line to go to."""
    one, first = said.explanation, said.first_to_fix
    block = code_frame.build(said, STYLE, levels.get(first.id, 1) if first else 1)
    if one is None or block is None:
        return None
    return {"line": one.line, "after": one.after, "blanks": one.blanks, **block._asdict()}


def _section(heading: str | None, anchors: Anchors) -> Values | None:
    if heading is None:
        return None
    return {"heading": heading, "anchor": anchors.get(heading, "")}


def _margin(one: Margin) -> Values:
    return {"line": one.line, "mark": one.mark, "shape": one.shape, "name": one.name}


def _excerpt(excerpt: Excerpt | None) -> Values | None:
    return _figure(failure.figure(excerpt)) if excerpt is not None else None


def _figure(figure: Figure) -> Values:
    return {
        "title": figure.title,
        "text": figure.text,
        "spoken": spoken(figure),
        "svg": svg.document(figure, CELL),
    }


def _after(step: Step, steps: Sequence[Step], found: Attempt) -> str:
    return pages.after_pass(step, steps, found, STYLE, keys=True)


def _after_error(said: Report) -> str:
    return pages.after_error() if said.verdict is Verdict.ERROR else ""
