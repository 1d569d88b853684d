"""What the exhibits of the steps draw: the heads of solutions, and the figures in lessons."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from checks.shared import texts
from grader.base import course
from grader.report.figures.heads import reference
from grader.report.figures.run import draw_program
from grader.rubric import load
from grader.rubric.exhibit import Exhibit
from grader.sandbox import WorkerPool
from tests.graded import variants
from tests.marks import sampled
from tests.report.test_figures import EXHIBITS
from tools.sync import blocks, figures

pytestmark = pytest.mark.any_python


@pytest.mark.parametrize("name", sampled(4, sorted(EXHIBITS)))
def test_a_solution_shows_what_the_formulas_show(name: str, workers: WorkerPool) -> None:
    step, exhibit = course.find(name), EXHIBITS[name](None)
    shown = draw_program(step, step.solution, exhibit, exhibit.views, start=workers.start)
    assert shown.right, shown.remarks
    ideal = reference(exhibit, exhibit.views)
    drawn = [heatmap.title for figure in shown.figures for heatmap in figure.heatmaps]
    assert drawn == [heatmap.title for figure in ideal.figures for heatmap in figure.heatmaps]


@pytest.mark.parametrize("name", ["s11", "s12"])
def test_the_heads_of_a_whole_model_are_the_trained_ones(name: str) -> None:
    """They come out of the logits of models of one block, through two normalizations."""
    exhibit = EXHIBITS[name]("She was happy")
    assert exhibit.trial.expect is not None
    expected = exhibit.trial.expect()
    trained = texts.read("She was happy").weights
    heads = [view for view in exhibit.views if view.head is not None]
    assert len(heads) == trained.shape[0] * trained.shape[1]
    for view in heads:
        want = trained[view.layer, view.head]
        np.testing.assert_allclose(view.pick(expected[view.path]), want, atol=1e-5)


def test_what_a_wrong_program_looks_at_is_drawn_as_it_is() -> None:
    exhibit = EXHIBITS["s05"]("she loves cats")
    with variants.as_file(variants.find("s05/wrong/no_mask")) as path:
        shown = draw_program(course.find("s05"), path, exhibit, exhibit.views[:2])
    assert not shown.right
    assert [figure.title for figure in shown.figures] == ["Head 0", "Head 1"]
    expected, yours, apart = (heatmap.values for heatmap in shown.figures[0].heatmaps)
    assert all(value == 0 for row, line in enumerate(expected) for value in line[row + 1 :])
    assert all(value > 1e-6 for line in yours for value in line)
    assert all(sum(line) == pytest.approx(1, abs=1e-4) for line in yours)
    assert apart[0][0] == pytest.approx(yours[0][0] - 1, abs=1e-6)


def test_the_weights_are_those_that_the_lesson_prints() -> None:
    shown = reference(EXHIBITS["s03"](None), EXHIBITS["s03"](None).views)
    lesson = course.find("s03").lesson.read_text(encoding="utf-8")
    first = shown.figures[0].heatmaps[0]
    for label, values in zip(first.rows, first.values, strict=True):
        assert f"| {label} | {' | '.join(f'{value:.4f}' for value in values)} |" in lesson


def test_rotated_heads_see_only_the_distance() -> None:
    shown = reference(EXHIBITS["s06"](None), EXHIBITS["s06"](None).views)
    for heatmap in shown.figures[0].heatmaps:
        last, before = heatmap.values[-1], heatmap.values[-2]
        ratios = {round(a / b, 6) for a, b in zip(last[1:], before[:-1], strict=True)}
        assert len(ratios) == 1


@pytest.mark.parametrize("name", [step.id for step in course.steps() if load.figures(step)])
def test_another_machine_draws_the_same_bytes(name: str) -> None:
    """Its float64 differ in the last bits, so every number is moved by some of these.

    That the files are those of this machine is in ``test_lessons``.
    """
    step = course.find(name)
    lesson = step.lesson.read_text(encoding="utf-8")
    exhibit = noisy(EXHIBITS[name](None), np.random.default_rng(1))
    for planned in load.figures(step):
        drawn = figures.block(step, planned, exhibit)
        assert blocks.replace_block(lesson, drawn.markers, drawn.body) == lesson
        if drawn.path is not None:
            assert drawn.path.read_text(encoding="utf-8") == drawn.content


def noisy(exhibit: Exhibit, rng: np.random.Generator) -> Exhibit:
    def expect(**knobs: object) -> dict[str, npt.NDArray[np.float64]]:
        assert exhibit.trial.expect is not None
        return {
            path: array * (1 + 1e-13 * rng.standard_normal(array.shape))
            for path, array in exhibit.trial.expect(**knobs).items()
        }

    return replace(exhibit, trial=replace(exhibit.trial, expect=expect))


def test_every_figure_can_be_read_without_seeing_it() -> None:
    for step in course.steps():
        text = step.lesson.read_text(encoding="utf-8")
        for alt, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text):
            assert len(alt) > 60, path
            root = ET.parse(step.lesson.parent / path).getroot()
            told = root.find("{http://www.w3.org/2000/svg}desc")
            assert told is not None
            assert told.text
