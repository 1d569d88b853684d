"""Step 10 is written in two parts: the second waits for the first, and the first passes alone."""

from __future__ import annotations

import re
import statistics
from pathlib import Path

import pytest

from checks.step_10.rubric import PART_1
from grader import frameworks
from grader.base import course
from grader.base.blanks import make_answer
from grader.base.model import Report, Status
from grader.grading import diagnose
from grader.grading.inputs import draw
from grader.pipeline import Options, grade
from grader.protocol.probe import Outcome
from grader.rubric import Evidence, load
from grader.sandbox import WorkerPool
from tests.marks import sampled

pytestmark = pytest.mark.any_python  # what waits for what is said in the rubric
STEP = course.find("s10")
SECOND = ("rotary", "past-length", "rotate", "join")
"""The blanks of the second part; what the first returns has no cache."""

WAITING = {"positions", "rotate", "join", "use-rotary", "cached-pair", "cached-forward", "together"}


def first_part(wrong: tuple[str, str] = ("", "")) -> str:
    """The solution with the second part still blank, and with ``wrong`` replaced."""
    source = STEP.solution.read_text(encoding="utf-8").replace(*wrong, 1)
    for name in SECOND:
        blank = re.compile(
            rf"^( *)# >>> blank: {name}\n(.*?)^ *# <<< blank\n", re.MULTILINE | re.DOTALL
        )
        found = blank.search(source)
        assert found
        stub = re.search(r"# stub: (.*)", found[2])
        assert stub
        source = source.replace(found[0], f"{found[1]}{stub[1]}\n")
    return source.replace("((key, value) if use_cache else None)", "None")


def graded(source: str, folder: Path, workers: WorkerPool) -> Report:
    path = folder / STEP.stub.name
    path.write_text(source, encoding="utf-8")
    return grade(STEP, path, Options(seed=1), workers.start)


def statuses(report: Report) -> dict[str, Status]:
    return {check.id: check.status for check in report.checks}


def test_the_first_part_passes_alone(tmp_path: Path, workers: WorkerPool) -> None:
    report = graded(first_part(), tmp_path, workers)
    found = statuses(report)
    assert {found[name] for name in ("forward", "pair", *PART_1)} == {Status.PASS}
    assert report.first_to_fix is not None
    assert report.first_to_fix.text is not None
    assert report.first_to_fix.text.strip() == "self.rotary = None"  # the second part's first blank


@pytest.mark.parametrize(
    ("right", "wrong", "fails"),
    sampled(
        4,
        [
            ("* self.scale", "/ self.scale", "numbers"),
            ("scores = scores + position_bias", "scores = scores", "position-bias"),
            ("if attention_scale is None else", "if not attention_scale else", "attention-scale"),
            ("nothing = query[..., :1] * 0", "nothing = query[..., :1] * 0 - 1", "add-zero-attn"),
        ],
    ),
)
def test_the_second_part_waits_for_the_first(
    right: str, wrong: str, fails: str, tmp_path: Path, workers: WorkerPool
) -> None:
    assert right in STEP.solution.read_text(encoding="utf-8")
    found = statuses(graded(first_part((right, wrong)), tmp_path, workers))
    assert found[fails] is Status.FAIL
    assert {found[name] for name in WAITING} == {Status.NOT_RUN}


def test_the_checks_of_the_first_part_come_first() -> None:
    order = [check.id for check in load.rubric(STEP).checks if check.rule is not None]
    assert max(map(order.index, PART_1)) < min(map(order.index, WAITING & set(order)))


def test_two_mistakes_together_are_not_looked_for_in_the_longest_text() -> None:
    drawn = draw(load.rubric(STEP), 1).calculate()
    evidence = Evidence(drawn.trials, Outcome("done", {}), frameworks.current(), drawn.expected)
    search = diagnose._Search(evidence)
    sizes = {name: search.size(name) for name, trial in drawn.trials.items() if trial.expect}
    assert sizes["rotary"] > statistics.median(sizes.values())


def test_an_option_is_not_accused_of_what_another_part_does(
    tmp_path: Path, workers: WorkerPool
) -> None:
    source = make_answer(STEP.solution.read_text(encoding="utf-8"))
    wrong = source
    for name in ("position_bias", "attention_mask"):
        wrong = wrong.replace(f"scores = scores + {name}", f"scores = scores - {name}")
    status = {one.id: one.status for one in graded(wrong, tmp_path, workers).checks}
    assert status["attention-mask"] is status["position-bias"] is Status.FAIL
    assert status["attention-scale"] is status["add-zero-attn"] is Status.NOT_RUN
