"""Pictures: the window of a wrong result, and heatmaps for terminal and page."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from grader import course
from grader.model import Picture, Report
from grader.pipeline import Options, grade
from grader.report import as_json
from grader.show import failure, palette, svg, terminal
from grader.show.heatmap import STEPS, Figure, Heatmap, Scale, level, number
from grader.show.terminal import Depth, Screen

WRONG = Path(__file__).parent / "variants"
ESCAPES = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture(scope="module")
def failed() -> Report:
    """The report on attention whose mask comes too early: right shapes, wrong numbers."""
    path = WRONG / "s05/wrong/mask_before_scale_on_logits_sum.py"
    return grade(course.find("s05"), path, Options(seed=1))


@pytest.fixture(scope="module")
def picture(failed: Report) -> Picture:
    assert failed.picture is not None
    return failed.picture


def test_the_first_wrong_numbers_are_kept(failed: Report, picture: Picture) -> None:
    assert picture.check == "output"
    assert next(check for check in failed.checks if check.id == "output").status.value == "fail"
    shape = len(picture.rows), len(picture.columns)
    for grid in (picture.expected, picture.actual):
        assert (len(grid), {len(row) for row in grid}) == (shape[0], {shape[1]})
    assert 1 < min(shape) <= max(shape) <= 16
    # Without a past there is nothing to hide from the first token, so its row is right.
    assert picture.expected[0] == pytest.approx(picture.actual[0], rel=1e-3, abs=1e-4)
    assert math.dist(picture.expected[-1], picture.actual[-1]) > 0.1


def test_the_window_stays_out_of_the_json(failed: Report) -> None:
    assert as_json.render(failed) == as_json.render(replace(failed, picture=None))


def test_a_pass_has_no_window() -> None:
    step = course.find("s02")
    assert grade(step, step.solution, Options(seed=1)).picture is None


def test_expected_yours_and_difference_are_drawn_beside_each_other_or_stacked(
    picture: Picture,
) -> None:
    wide = failure.as_text(picture, Screen(200)).splitlines()
    assert any("Expected" in line and "Yours" in line for line in wide)
    for width in (24, 40, 80, 200):
        for depth in Depth:
            drawn = failure.as_text(picture, Screen(width, depth))
            lines = ESCAPES.sub("", drawn).splitlines()
            assert max(map(len, lines)) <= width
            assert all(title in drawn for title in ("Expected", "Yours", "Difference"))


def test_without_a_terminal_every_number_is_there_in_digits(picture: Picture) -> None:
    drawn = failure.as_text(picture, Screen(None, unicode=False))
    assert drawn.isascii()
    for grid in (picture.expected, picture.actual):
        for row in grid:
            assert " ".join(number(v, Scale.SIGNED) for v in row).split() in [
                [*line.split()[start:stop]]
                for line in drawn.splitlines()
                for start in range(len(line.split()))
                for stop in (start + len(row),)
            ]


def test_the_piece_of_a_page_is_well_formed_and_says_in_words_what_it_shows(
    picture: Picture,
) -> None:
    drawn = failure.as_html(picture, "p1")
    root = ET.fromstring(drawn)
    image = root.find("svg")
    assert image is not None
    named = image.attrib["aria-labelledby"].split()
    assert [one.attrib["id"] for one in image if one.tag in ("title", "desc")] == named
    assert "yours is" in "".join(root.itertext())
    assert len(drawn) < 16_000


def test_numbers_that_are_none_do_not_stop_the_drawing() -> None:
    odd = Picture(
        "numbers",
        "a <b> & c",
        ((0.0, -math.inf), (1.0, 2.0)),
        ((math.nan, 3.4e38), (-math.inf, math.inf)),
        ("0", "1"),
        ("0", "1"),
    )
    ET.fromstring(failure.as_html(odd, "p"))
    for screen in (Screen(), Screen(40, Depth.ALL), Screen(plain=True), Screen(unicode=False)):
        assert "NaN" in failure.as_text(odd, screen)


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
@pytest.mark.parametrize("scale", [Scale.WEIGHT, Scale.SIGNED])
def test_every_level_can_be_read_and_told_from_the_next(scale: Scale, theme: palette.Theme) -> None:
    first = -STEPS // 2 if scale is Scale.SIGNED else 0
    steps = range(first, first + STEPS + 1)
    for step in steps:
        cell = palette.colour(step, scale, theme)
        assert palette.contrast(cell, palette.ink(step, scale, theme)) >= 4.5
    colours = [palette.colour(step, scale, theme) for step in steps]
    assert len(set(colours)) == len(colours)


def test_the_last_bits_of_a_number_change_nothing() -> None:
    values = (0.125, 0.375, 0.005, 1 / 3, 0.995)
    grid = Heatmap("", (values,), ("a",), tuple("abcde"))
    for value in values:
        for other in (math.nextafter(value, 0), math.nextafter(value, 1)):
            assert number(other, Scale.WEIGHT) == number(value, Scale.WEIGHT)
            assert level(other, grid) == level(value, grid)


def test_a_file_of_its_own_needs_nothing_else() -> None:
    heat = Heatmap("one", ((0.5, 1.0), (0.25, 0.0)), ("she", "loves"), ("she", "loves"))
    drawn = svg.document(Figure("t", "d", (heat,)))
    ET.fromstring(drawn)
    assert "http" not in drawn.replace('xmlns="http://www.w3.org/2000/svg"', "")
    names = set(re.findall(r'class="([wnp]\d+)"', drawn))
    assert names == {"w10", "w20", "w5", "w0"}
    assert all(f".hm .{name}{{" in drawn for name in names)


def test_more_columns_than_fit_become_half_blocks() -> None:
    size = 32
    values = tuple(tuple(float(x <= y) / (y + 1) for x in range(size)) for y in range(size))
    labels = tuple(f"token{i}" for i in range(size))
    figure = Figure("t", "", (Heatmap("one", values, labels, labels),))
    drawn = terminal.render(figure, Screen(50, Depth.MANY))
    assert drawn.count("▀") == size * size // 2
