"""What ``watch`` shows: frames that fit, and reports with what matters on the screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from grader.base import course
from grader.base.model import Report
from grader.learner.watch.screen import View, frame, report_text
from grader.pipeline import grade
from grader.report.style import Style, paint
from grader.sandbox import WorkerPool

pytestmark = pytest.mark.any_python  # terminals, signals and files that change are the system's


@pytest.fixture(scope="module")
def report(workers: WorkerPool) -> Report:
    """The report on an untouched step 05."""
    step = course.find("s05")
    return grade(step, step.stub, start=workers.start)


SMALL = pytest.param((6, 20), marks=pytest.mark.whole)


@pytest.mark.parametrize("size", [(12, 40), (24, 80), (50, 200), SMALL], ids=str)
def test_a_frame_fits_and_every_line_can_be_scrolled_to(
    size: tuple[int, int], report: Report
) -> None:
    rows, width = size
    how = Style(width=width)
    text = report_text(report, how, {}, rows)
    assert "checks pass" in text
    seen, offset = [], -1
    while True:
        lines, now = frame(["a", "b" * 100], View(text, offset + 1), how, rows)
        assert len(lines) == rows
        assert max(cell_len(line) for line in lines) <= width
        assert re.search(r"\bh\b", " ".join(lines[-3:]))
        if now == offset:
            break
        offset = now
        seen.append(lines[2])
    body = paint(text, how).splitlines()
    assert seen == body[: len(seen)]
    assert lines[2 : 2 + len(body) - len(seen) + 1] == body[offset:]


def test_the_first_failure_is_on_a_screen_of_24_rows(workers: WorkerPool) -> None:
    step = course.find("s06")
    text = report_text(grade(step, step.stub, start=workers.start), Style(width=80), {}, 21)
    assert text.startswith("Nothing is written yet: all ")
    assert text.splitlines()[1].startswith("Begin with the first TODO, on line ")
    assert "more wait for: " in text
    assert "Waits for" not in text


def test_a_program_that_prints_much_does_not_hide_the_report(
    workers: WorkerPool, tmp_path: Path
) -> None:
    step = course.find("s01")
    path = tmp_path / "step_01.py"
    path.write_text(step.solution.read_text() + "for i in range(900): print('line', i)\n")
    report = grade(step, path, start=workers.start)
    lines = report_text(report, Style(width=80), {}, 20).splitlines()
    assert "  | line 3" in lines
    assert any("888 more lines" in line for line in lines)
    assert len(lines) < 22


def test_each_line_of_a_wrapped_sentence_has_as_many_words_as_fit() -> None:
    words = "   Hint: Add 'from max.experimental import functional as F'"
    assert paint(words, Style(width=40)).splitlines() == [
        "   Hint: Add 'from max.experimental",
        "      import functional as F'",
    ]
