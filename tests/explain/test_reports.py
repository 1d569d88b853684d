"""What a learner is told of the programs that the reports were designed on: place, proof, form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_answer, make_stub
from grader.base.model import Explanation, Report
from grader.pipeline import Follow, Options, grade
from grader.report import code_frame
from grader.report.style import FILE
from grader.sandbox import WorkerPool
from tests.explain import recorded

pytestmark = pytest.mark.usefixtures("unhurried")

MAPPED = """\
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
"""
STRICT = """\
    if int(query.shape[-2]) != int(key.shape[-2]):
        raise ValueError("query and key must have the same length")
    scores = query @"""
STORED = """\
    mask = F.band_part(mask, num_lower=None, num_upper=allowed, exclude=True)
    _ROWS_CACHE[int(sequence_length)] = mask
    return mask
"""
ENDS = """\
    return F.band_part(  # [sequence_length, n]
        mask, num_lower=None, num_upper=allowed, exclude=True
    )
"""
BEGINS = "    n = Dim(sequence_length)"
LOOKS = """\
    if int(sequence_length) in _ROWS_CACHE:
        return _ROWS_CACHE[int(sequence_length)]
"""

DESIGNED: dict[str, tuple[str, list[tuple[str, str]], str]] = {
    "a step is missing": (
        "s05",
        [("        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))", "        #")],
        "attn_weights = query @ key",
    ),
    "the cause is elsewhere than the error": (
        "s05",
        [("seq_len = query.shape[-2]", "seq_len = query.shape[1]")],
        "seq_len = query.shape[1]",
    ),
    "Python, not attention": (
        "s05",
        [(MAPPED, "        query, key, value = map(self._split_heads, (query, key, value))\n")],
        "map(self._split_heads",
    ),
    "its own check is too strict": (
        "s03",
        [("    scores = query @", STRICT)],
        "if int(query",
    ),
    "something is kept between calls": (
        "s02",
        [
            ("@F.functional\n", "_ROWS_CACHE = {}\n\n\n@F.functional\n"),
            (BEGINS, LOOKS + BEGINS),
            (ENDS, STORED),
        ],
        "_ROWS_CACHE",
    ),
    "right, and then undone": (
        "s07",
        [("F.softmax(attn_weights)", "F.softmax(attn_weights, axis=1)")],
        "F.softmax(attn_weights, axis=1)",
    ),
    "it cannot be read": (
        "s05",
        [("tensor = tensor.reshape(new_shape)  #", "tensor = tensor.reshape(new_shape  #")],
        "tensor.reshape(new_shape",
    ),
}
"""A step, edits of its solution, and the line of the mistake, or the one before the gap."""

Graded = Callable[[str], Report]


@pytest.fixture(scope="module")
def known() -> dict[str, Report]:
    return {}


@pytest.fixture
def graded(workers: WorkerPool, tmp_path: Path, known: dict[str, Report]) -> Graded:
    """Gives the report on one of the programs."""

    def report(name: str) -> Report:
        if name not in known:
            id, edits, _ = DESIGNED[name]
            step, path = course.find(id), tmp_path / "mine.py"
            right = make_answer(step.solution.read_text(encoding="utf-8"))
            path.write_text(recorded.edited(right, *edits), encoding="utf-8")
            options = Options(seed=7, follow=Follow.FAILING)
            known[name] = grade(step, path, options, workers.start)
        return known[name]

    return report


def explanation(report: Report) -> Explanation:
    assert report.explanation is not None
    return report.explanation


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DESIGNED)
def test_the_line_is_the_cause_and_a_change_there_holds(name: str, graded: Graded) -> None:
    found = explanation(graded(name))
    _, _, line = DESIGNED[name]
    (shown,) = [one.text for one in found.frame if one.number == found.line]
    assert line in shown
    assert found.after is (name == "a step is missing")
    assert found.change is not None
    assert found.change.holds
    assert set(found.settled) == {one.id for one in graded(name).checks if one.status == "fail"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DESIGNED)
def test_it_is_short_and_says_nothing_twice(name: str, graded: Graded) -> None:
    found = explanation(graded(name))
    lines = [line.strip() for line in code_frame.lines(graded(name), FILE) if line.strip()]
    assert len(lines) <= 12
    assert len(set(lines)) == len(lines)
    assert not found.said or found.said not in found.cause
    assert found.searched


def test_where_nothing_is_written_the_first_blank_is_named(
    workers: WorkerPool, tmp_path: Path
) -> None:
    step, path = course.find("s05"), tmp_path / "step_05.py"
    path.write_text(make_stub(step.solution.read_text(encoding="utf-8")), encoding="utf-8")
    report = grade(step, path, Options(seed=7, follow=Follow.FAILING), workers.start)
    text = path.read_text(encoding="utf-8")
    line = text.partition("# TODO")[0].count("\n") + 1
    assert list(code_frame.lines(report, FILE)) == [
        f"Nothing is written yet: all {text.count('# TODO')} blanks are open.",
        f"Begin with the first TODO, on line {line}.",
        'The lesson: steps/step_05.md, "MAX operations"',
    ]
