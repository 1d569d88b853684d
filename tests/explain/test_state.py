"""What a program keeps from one call to the next: a wrong call that is right when it is alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.explain.explanation import FRESH
from grader.explain.repair import suggest
from grader.pipeline import Follow, Options, grade
from grader.report import code_frame
from grader.report.style import FILE
from grader.sandbox import WorkerPool
from tests.explain import recorded

STEP = course.find("s02")
RIGHT = make_answer(STEP.solution.read_text(encoding="utf-8"))
ABOVE, FIRST, AFTER = "@F.functional\n", "    n = Dim(sequence_length)", ",\n) -> Tensor:"
LAST = RIGHT[RIGHT.index("    return F.band_part(") :]
MASK = "F.band_part(mask, num_lower=None, num_upper=allowed, exclude=True)"

KEPT = [
    (
        "if kept:",
        (ABOVE, f"kept = []\n\n\n{ABOVE}"),
        (FIRST, f"    if kept:\n        return kept[0]\n{FIRST}"),
        (LAST, f"    kept.append({MASK})\n    return kept[0]\n"),
    ),
    (
        "longest = max(longest, int(Dim(num_tokens)))",
        (ABOVE, f"longest = 0\n\n\n{ABOVE}"),
        (
            FIRST,
            "    global longest\n    longest = max(longest, int(Dim(num_tokens)))\n"
            f"    num_tokens = longest\n{FIRST}",
        ),
    ),
    (
        "past=[],",
        (AFTER, ",\n    past=[],\n) -> Tensor:"),
        (FIRST, f"    past.append(int(Dim(num_tokens)))\n    num_tokens = past[0]\n{FIRST}"),
    ),
    (  # by another name
        "mine = seen",
        (ABOVE, f"seen = []\n\n\n{ABOVE}"),
        (FIRST, f"    mine = seen\n    mine.append(int(Dim(num_tokens)))\n{FIRST}"),
        ("n = Dim(sequence_length) + num_tokens", "n = Dim(sequence_length) + mine[0]"),
    ),
    (  # it is wrong by itself
        None,
        (ABOVE, f"kept = {{}}\n\n\n{ABOVE}"),
        (FIRST, f"    kept[0] = 1\n{FIRST}"),
        ("exclude=True", "exclude=False"),
    ),
]


@pytest.mark.parametrize(("line", "edits"), [(line, edits) for line, *edits in KEPT])
def test_what_is_kept_is_told_only_if_the_call_alone_is_right(
    line: str | None,
    edits: list[tuple[str, str]],
    workers: WorkerPool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(suggest, "BUDGET_S", 0.0)
    path = tmp_path / "mine.py"
    path.write_text(recorded.edited(RIGHT, *edits), encoding="utf-8")
    report = grade(STEP, path, Options(seed=7, follow=Follow.FAILING), workers.start)
    told = report.explanation
    assert told is not None
    assert (FRESH in told.facts) is (line is not None)
    assert any(told.hints) is (line is None)  # they lead away from what is kept
    assert told.searched is False
    assert not [one for one in code_frame.lines(report, FILE) if "tried makes" in one]
    if line is not None:
        assert line in [one.text.strip() for one in told.frame if one.number == told.line]
