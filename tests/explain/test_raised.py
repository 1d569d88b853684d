"""What is told of the error that a program raised, above all by a check of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_answer
from grader.explain.explanation import REFUSES, STRICT
from grader.explain.raised import MOST_SAID, own_check, raises, said
from grader.pipeline import Follow, Options, grade
from grader.protocol.probe import SeenError
from grader.report import code_frame
from grader.report.style import FILE
from grader.sandbox import WorkerPool
from tests.explain import recorded

PROGRAM = """\
def scale(x, by):
    if by <= 0:
        raise ValueError("not positive")
    assert x.shape, (
        "no axes"
    )
    return x * by
"""


@pytest.mark.parametrize(
    ("line", "lines"), [(3, [2, 3]), (4, [4, 5, 6]), (5, [4, 5, 6]), (7, []), (2, [])]
)
def test_a_check_is_its_condition_and_what_it_raises(line: int, lines: list[int]) -> None:
    assert [*own_check(PROGRAM, line, "x = 1\n")] == lines


def test_a_check_that_the_solution_has_is_not_the_learners() -> None:
    assert not own_check(PROGRAM, 3, 'def f():\n    raise ValueError("not positive")\n')


def test_an_error_that_the_lesson_asks_for_is_no_check_of_the_learners() -> None:
    solution = course.find("s11").solution.read_text(encoding="utf-8")
    assert "CheckpointError" in raises(solution)
    assert not raises(PROGRAM) - {"ValueError"}


def test_what_was_said_has_no_path_and_ends_after_a_word() -> None:
    where = "/home/ada/.pixi/lib/python3.13/site-packages/max/experimental/nn/__init__.py"
    error = SeenError(
        "ImportError", f"cannot import name 'Linar' from 'max.nn' ({where})", "import"
    )
    assert said(error) == "ImportError: cannot import name 'Linar' from 'max.nn'"
    missing = SeenError("FileNotFoundError", f"No such file: '{where}'", "import")
    assert said(missing) == "FileNotFoundError: No such file: '__init__.py'"
    ratio = SeenError("ValueError", "seq/head_dim is 4/8, a [b/c] d", "out")
    assert said(ratio) == "ValueError: seq/head_dim is 4/8, a [b/c] d"
    short = said(SeenError("ValueError", "these dimensions do not fit " * 20, "out"))
    assert len(short) <= MOST_SAID
    assert short.removesuffix("…").endswith((" these", " dimensions", " do", " not", " fit"))
    assert short.endswith("…")
    assert said(SeenError("ValueError", f"They differ. {'a ' * 200}", "out")).endswith(
        "They differ."
    )


REFUSED = """\
    if query.shape[-2] != key.shape[-2]:
        raise ValueError("a query each")
"""
FIRST = "    scores = query @"
UNSCALED = ("scores = scores / math.sqrt(int(query.shape[-1]))", "scores = 3.5 - scores")


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("more", [[], [UNSCALED]], ids=["alone", "and more"])
def test_a_check_that_refuses_too_much_is_the_cause_and_its_message_comes_once(
    more: list[tuple[str, str]], workers: WorkerPool, tmp_path: Path
) -> None:
    step = course.find("s03")
    path = tmp_path / "step_03.py"
    right = make_answer(step.solution.read_text(encoding="utf-8"))
    text = recorded.edited(right, (FIRST, REFUSED + FIRST), *more)
    path.write_text(text, encoding="utf-8")
    report = grade(step, path, Options(seed=7, follow=Follow.FAILING), workers.start)
    line = text.partition("raise ValueError")[0].count("\n") + 1
    told = report.explanation
    assert told is not None
    assert told.cause == (REFUSES.format(line=line) if more else STRICT)
    assert told.said == "ValueError: a query each"
    drawn = "\n".join(code_frame.lines(report, FILE))
    assert drawn.count("ValueError: a query each") == 1
    assert "Hint:" not in drawn
