"""Every step of the course has all its parts, and ``new-step`` lays out a step that works."""

from __future__ import annotations

import runpy
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from grader.base import course
from grader.base.blanks import make_stub
from grader.base.model import Step
from grader.rubric import load
from tests.graded import direct, variants
from tests.own_course import copy_course
from tools.new_step.layout import LEAST_RIGHT, LEAST_WRONG, NEEDED, CannotLayOut, lay_out, missing

STEPS = course.steps()
TITLE = "Share Keys and Values"
DUE = f"{len(STEPS) + 1:02}"
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)


@each_step
def test_a_step_lacks_nothing(step: Step) -> None:
    right, wrong = (len(variants.of(step.id, right=side)) for side in (True, False))
    assert not list(missing(step, right, wrong))
    assert callable(direct.trial_of(step.id))


@each_step
def test_every_check_has_three_hints_and_every_tensor_a_name(step: Step) -> None:
    rubric = load.rubric(step)
    for check in rubric.checks:
        assert len(check.hints) == 3, check.id
        assert not check.gives or check.blank, check.id
    parts = {part for check in rubric.checks for part in check.parts}
    assert {one.part for one in rubric.misconceptions} <= {*parts, "result"}
    names = rubric.values()
    blanks = load.blanks_of(step)
    assert set(names) <= set(blanks)
    shaped = {name for name, lines in blanks.items() if any("  # [" in line for line in lines)}
    assert shaped - {"loop", "draw"} <= set(names)


@pytest.mark.parametrize("place", NEEDED)
def test_a_part_that_is_not_there_is_named(place: str, tmp_path: Path) -> None:
    step = replace(STEPS[4], root=tmp_path)
    for other in NEEDED:
        path = tmp_path / other.replace("NN", "05")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert not list(missing(step, LEAST_RIGHT, LEAST_WRONG))
    (tmp_path / place.replace("NN", "05")).unlink()
    assert list(missing(step, LEAST_RIGHT, LEAST_WRONG)) == [
        f"{place.replace('NN', '05')} is missing."
    ]


def test_too_few_variants_are_told(tmp_path: Path) -> None:
    told = "\n".join(missing(replace(STEPS[4], root=tmp_path), LEAST_RIGHT - 1, 0))
    assert "29 right programs" in told
    assert "0 wrong programs" in told


@pytest.mark.whole
def test_a_step_that_is_laid_out_grades_its_programs(tmp_path: Path) -> None:
    own = copy_course(tmp_path)
    lay_out(DUE, TITLE, tmp_path)
    step = course.find(DUE, tmp_path)
    assert step.title == TITLE
    step.stub.write_text(make_stub(step.solution.read_text(encoding="utf-8")), encoding="utf-8")
    assert own.run("grade", step.id).returncode == 1
    assert own.run("grade", step.id, "--file", str(step.solution)).returncode == 0
    wrong = variants.of(step.id, right=False, folder=tmp_path / "tests" / "variants")[0]
    path = tmp_path / "wrong.py"
    path.write_bytes(wrong.source)
    done = own.run("grade", step.id, "--file", str(path))
    assert done.returncode == 1
    assert "The softmax runs over the first axis" in done.stdout
    assert "TODO" in "\n".join(missing(step, LEAST_RIGHT, LEAST_WRONG))
    assert callable(runpy.run_path(str(tmp_path / f"tests/graded/trial_{DUE}.py"))["trial"])


def test_only_the_next_step_is_laid_out_and_nothing_is_overwritten(tmp_path: Path) -> None:
    shutil.copy(course.ROOT / "course.toml", tmp_path)
    with pytest.raises(CannotLayOut, match=f"is {DUE}, not 12"):
        lay_out("12", TITLE, tmp_path)
    lesson = tmp_path / "steps" / f"step_{DUE}.md"
    lesson.parent.mkdir()
    lesson.write_text("mine")
    with pytest.raises(CannotLayOut, match="already exists"):
        lay_out(DUE, TITLE, tmp_path)
    assert lesson.read_text() == "mine"
    assert course.steps(tmp_path) == tuple(replace(one, root=tmp_path) for one in STEPS)
