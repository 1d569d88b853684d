"""The explanation of a failure: how it is drawn, and what it says of a change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.base import course
from grader.base.model import (
    CheckResult,
    Explanation,
    Framed,
    Kind,
    Replaced,
    Report,
    Status,
    Tried,
    Verdict,
)
from grader.explain.explanation import Known, agreed
from grader.grading import faults
from grader.learner import pages, progress
from grader.learner.attempt import Attempt
from grader.learner.progress import StepProgress
from grader.report import code_frame
from grader.report.style import FILE, Style
from grader.rubric import load
from grader.source import Finding

HINTS = ("Divide.", "By √d.")
ADDED = Tried(True, "scale", (Replaced(3, (), ("    scores = scores / 8",)),))
MISSING = Explanation(
    "your output is exactly attention without the scale",
    2,
    True,
    (
        Framed(2, "    scores = query @ key  # [seq, seq]", "right", "the scores [5, 5]"),
        Framed(None, ""),
        Framed(3, "    scores = scores + mask", "wrong", "[5, 5]"),
    ),
    change=ADDED,
    lesson='steps/step_05.md, "Scaling"',
    hints=HINTS,
    settled=("scale",),
)


def _report(explanation: Explanation) -> Report:
    scale = CheckResult("scale", Kind.SOURCE, Status.FAIL, "not scaled", HINTS)
    return Report("s05", "Attention", "step_05.py", Verdict.FAIL, (scale,), explanation=explanation)


def test_a_missing_line_is_shown_as_a_gap_and_not_written() -> None:
    assert list(code_frame.lines(_report(MISSING), FILE)) == [
        "Fix this first: your output is exactly attention without the scale",
        "   step_05.py, after line 2",
        "",
        "   2 │ scores = query @ key    ✓ the scores [5, 5]",
        "     │ ‹ here ›",
        "   3 │ scores = scores + mask  ✗ [5, 5]",
        "",
        "   With one line added after line 2, all 1 checks pass (tried).",
        '   Lesson: steps/step_05.md, "Scaling"',
    ]


def test_once_all_hints_are_shown_the_change_is_too() -> None:
    shown = list(code_frame.lines(_report(MISSING), Style(unicode=False), level=3))
    assert shown[7:11] == [
        "   Hint: Divide.",
        "   Hint: By √d.",
        "   Before line 3, this passes all 1 checks (tried):",
        "      + scores = scores / 8",
    ]


def test_without_a_change_there_are_facts_and_hints() -> None:
    known = Explanation("the sum is wrong", 2, facts=("It adds three.",), hints=HINTS)
    told = ["   It adds three.", "   Hint: Divide.", "   Hint: By √d."]
    assert list(code_frame.lines(_report(known), FILE, level=2))[1:] == told
    tried = replace(known, searched=True)
    told += ["   No single change that was tried makes it right."]
    assert list(code_frame.lines(_report(tried), FILE, level=2))[1:] == told


def test_where_the_grader_could_not_finish_there_is_nothing_to_fix() -> None:
    step = course.find("s05")
    base = Report("s05", "Attention", "step_05.py", Verdict.FAIL, ())
    rubric = load.rubric(step)
    broken = faults.report(base, rubric.checks, "The grader could not run your file")
    assert Known(step, "x = 1\n", broken, rubric, None, None).explained() is None


@pytest.mark.parametrize(
    ("line", "status"), [(3, Status.NOT_RUN), (4, Status.PASS), (None, Status.PASS)]
)
def test_a_tick_waits_on_the_line_to_change(line: int | None, status: Status) -> None:
    first = _report(replace(MISSING, line=3, after=False))
    ticked = CheckResult("softmax", Kind.SOURCE, Status.PASS, "there is a softmax")
    report = replace(first, checks=(*first.checks, ticked))
    after = agreed(report, load.rubric(course.find("s05")), {"softmax": Finding(True, line=line)})
    assert [one.status for one in after.checks] == [Status.FAIL, status]
    assert after.verdict is report.verdict


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("x = F.softmax(w, axis=1)", "x = F.softmax(w, axis=-1)", "another axis"),
        ("x = F.softmax(w, axis=1)", "x = F.softmax(w)", "other arguments"),
        ("x = f(eps=1)", "x = f(epsilon=1)", "another keyword"),
        ("x = f(a, b)", "x = f(b, a)", "the arguments in another order"),
        ("x = a + b", "x = a - b", "another operator"),
        ("x = a.shape[-1]", "x = a.shape[-2]", "another number"),
        ("x = self.a", "x = self.b", "another attribute"),
        ("for i in x:", "for i in y:", "another name"),
        ("x = y", "x = y * z", "another value"),
        ("x = a, b", "x = b, a", "the items in another order"),
        ("x = (", "x = ()", "other code"),
    ],
)
def test_a_change_is_named_without_what_it_writes(old: str, new: str, said: str) -> None:
    change = Tried(True, "a", (Replaced(3, (f"    {old}",), (f"    {new}",)),))
    assert code_frame.what(change) == f"With {said} on line 3"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([(3, ["raise ValueError('no')"], ["pass"])], "Without the check on line 3"),
        ([(3, ["if x:", "    raise ValueError()"], [])], "Without the check on line 3"),
        (
            [(3, ["raise ValueError('a')"], ["raise ValueError('b')"])],
            "With another value on line 3",
        ),
        ([(3, ["x = 1", "y = 2"], [])], "Without lines 3 and 4"),
        ([(3, ["x = 1", "y = 2", "z = 3"], [])], "Without lines 3 to 5"),
        ([(3, ["x = 1"], [])], "Without line 3"),
        ([(3, [], ["x = 1", "y = 2"])], "With 2 lines added after line 2"),
        (
            [(3, ["a"], ["b"]), (5, ["a"], ["b"]), (9, ["a"], ["b"])],
            "With changes on lines 3, 5 and 9",
        ),
    ],
)
def test_what_a_change_takes_away_or_adds(
    changes: list[tuple[int, list[str], list[str]]], said: str
) -> None:
    parts = [Replaced(line, tuple(old), tuple(new)) for line, old, new in changes]
    assert code_frame.what(Tried(True, "a", tuple(parts))) == said


def test_a_fact_is_beside_its_line_where_there_is_room() -> None:
    long = f"    scores = {' + '.join(['query'] * 8)}"
    frame = (Framed(2, long, "right", "the scores"), Framed(3, "    return 0", "change"))
    drawn = list(code_frame.lines(_report(replace(MISSING, frame=frame, after=False)), FILE))[3:6]
    assert drawn == [
        f"   2 │ {long.strip()}",
        "     │ ✓ the scores",
        "   3 │ return 0  ← here",
    ]


@pytest.mark.parametrize(
    ("searched", "said"),
    [
        (None, "are being tried"),
        (False, "No change to your file was tried"),
        (True, "but none helped"),
    ],
)
def test_the_last_hint_says_whether_changes_were_tried(searched: bool | None, said: str) -> None:
    report = _report(replace(MISSING, change=None, searched=searched))
    asked = StepProgress(checks={"scale": progress.Tried(asked=3)})
    assert said in pages.hint_page(course.find("s05"), Attempt(report, asked), FILE)
