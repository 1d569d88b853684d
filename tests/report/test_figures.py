"""Pictures: the window of a wrong result, and heatmaps for terminal and page."""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from grader.base import course
from grader.base.model import Excerpt, Report
from grader.pipeline import Options, grade
from grader.report import as_json
from grader.report.figures import ansi, failure, palette, svg, terminal
from grader.report.figures import page as pages
from grader.report.figures.heads import reference
from grader.report.figures.heatmap import STEPS, Figure, Heatmap, Scale, level, number
from grader.report.figures.terminal import Depth, Screen
from grader.rubric import load
from grader.sandbox import WorkerPool
from tests.graded import variants
from tools.desk import chromium

pytestmark = pytest.mark.any_python
EXHIBITS = {step.id: made for step in course.steps() if (made := load.exhibit(step))}
ESCAPES = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture(scope="module")
def failed(workers: WorkerPool) -> Report:
    """The report on attention whose mask comes too early: right shapes, wrong numbers."""
    with variants.as_file(variants.find("s05/wrong/mask_before_scale_on_logits_sum")) as path:
        return grade(course.find("s05"), path, Options(seed=1), workers.start)


@pytest.fixture(scope="module")
def excerpt(failed: Report) -> Excerpt:
    assert failed.excerpt is not None
    return failed.excerpt


def test_the_first_wrong_numbers_are_kept(failed: Report, excerpt: Excerpt) -> None:
    assert excerpt.check == "output"
    assert next(check for check in failed.checks if check.id == "output").status.value == "fail"
    shape = len(excerpt.rows), len(excerpt.columns)
    for grid in (excerpt.expected, excerpt.actual):
        assert (len(grid), {len(row) for row in grid}) == (shape[0], {shape[1]})
    assert 1 < min(shape) <= max(shape) <= 16
    # Without a past there is nothing to hide from the first token, so its row is right.
    assert excerpt.expected[0] == pytest.approx(excerpt.actual[0], rel=1e-3, abs=1e-4)
    assert math.dist(excerpt.expected[-1], excerpt.actual[-1]) > 0.1


def test_the_window_stays_out_of_the_json(failed: Report) -> None:
    assert as_json.render(failed) == as_json.render(replace(failed, excerpt=None))


def test_a_pass_has_no_window(workers: WorkerPool) -> None:
    step = course.find("s02")
    assert grade(step, step.solution, Options(seed=1), workers.start).excerpt is None


def test_expected_yours_and_difference_are_drawn_beside_each_other_or_stacked(
    excerpt: Excerpt,
) -> None:
    wide = failure.as_text(excerpt, Screen(200)).splitlines()
    assert any("Expected" in line and "Actual" in line for line in wide)
    for width in (24, 40, 80, 200):
        for depth in Depth:
            drawn = failure.as_text(excerpt, Screen(width, depth))
            lines = ESCAPES.sub("", drawn).splitlines()
            assert max(map(len, lines)) <= width
            assert all(title in drawn for title in ("Expected", "Actual", "Difference"))


def test_without_a_terminal_every_number_is_there_in_digits(excerpt: Excerpt) -> None:
    drawn = failure.as_text(excerpt, Screen(None, unicode=False))
    assert drawn.isascii()
    for grid in (excerpt.expected, excerpt.actual):
        for row in grid:
            assert " ".join(number(v, Scale.SIGNED) for v in row).split() in [
                [*line.split()[start:stop]]
                for line in drawn.splitlines()
                for start in range(len(line.split()))
                for stop in (start + len(row),)
            ]


def test_the_piece_of_a_page_is_well_formed_and_says_in_words_what_it_shows(
    excerpt: Excerpt,
) -> None:
    drawn = failure.as_html(excerpt, "p1")
    root = ET.fromstring(drawn)
    image = root.find("svg")
    assert image is not None
    named = image.attrib["aria-labelledby"].split()
    assert [one.attrib["id"] for one in image if one.tag in ("title", "desc")] == named
    assert "it is" in "".join(root.itertext())
    assert len(drawn) < 16_000


def test_numbers_that_are_none_do_not_stop_the_drawing() -> None:
    odd = Excerpt(
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


@pytest.mark.parametrize("theme", [palette.LIGHT, palette.DARK], ids=["light", "dark"])
def test_lightness_alone_tells_the_number_and_the_colour_blind_see_the_sign(
    theme: palette.Theme,
) -> None:
    """Sources: CIE 15:2004, lightness; Vienot et al. 1999, protanopes and deuteranopes."""
    for scale, ends in ((Scale.WEIGHT, (STEPS,)), (Scale.SIGNED, (STEPS // 2, -STEPS // 2))):
        for end in ends:
            way = range(0, end + (1 if end > 0 else -1), 1 if end > 0 else -1)
            ramp = [_lightness(palette.colour(step, scale, theme)) for step in way]
            steps = [after - before for before, after in pairwise(ramp)]
            assert max(map(abs, steps)) < 1.5 * min(map(abs, steps)), "the steps look alike"
            assert len({step > 0 for step in steps}) == 1
    for red, green in ((0.11, 0.89), (0.29, 0.71)):
        for end, is_blue in ((-STEPS // 2, True), (STEPS // 2, False)):
            seen = (np.array(palette.colour(end, Scale.SIGNED, theme)) / 255) ** 2.2
            assert (seen[2] > red * seen[0] + green * seen[1]) == is_blue


def _lightness(colour: palette.Colour) -> float:
    share = (palette.contrast(colour, (0, 0, 0)) - 1) / 20
    return float(116 * share ** (1 / 3) - 16)


@pytest.mark.parametrize("scale", [Scale.WEIGHT, Scale.SIGNED])
def test_256_colours_grow_lighter_away_from_0_and_carry_text(scale: Scale) -> None:
    def light(step: int) -> float:
        return palette.contrast(ansi.rgb(ansi.ground(step, scale).index), (0, 0, 0))

    most = STEPS // (2 if scale is Scale.SIGNED else 1)
    for sign in (1, -1) if scale is Scale.SIGNED else (1,):
        ramp = [light(sign * step) for step in range(1, most + 1)]
        assert ramp == sorted(set(ramp))
        for step in range(most + 1):
            ground = ansi.rgb(ansi.ground(sign * step, scale).index)
            assert palette.contrast(ground, ansi.writing(sign * step, scale, many=False).rgb) >= 4.5


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


def test_labels_that_are_wider_than_their_column_stand_upright_and_whole() -> None:
    heat = Heatmap("one", ((0.5, 0.5),), ("she",), ("she", "·loves"))
    lines = terminal.render(Figure("t", "", (heat,)), Screen(9)).splitlines()
    header = lines[lines.index("one") + 1 : -1]
    upright = ["".join(line.ljust(8)[place] for line in header).strip() for place in (4, 6)]
    assert upright == ["she", "·loves"]


@pytest.mark.parametrize("screen", [Screen(), Screen(80, Depth.ALL), Screen(plain=True)])
def test_long_labels_are_whole(screen: Screen) -> None:
    names = ("internationalization", "·incomprehensible")
    heat = Heatmap("one", ((1.0, 0.0), (0.5, 0.5)), names, names)
    shown = Figure("t", "", (heat,))
    lines = terminal.render(shown, screen).splitlines()
    assert all(any(line.startswith(name) for line in lines) for name in names)
    assert all(svg.document(shown).count(f">{name}<") == 2 for name in names)


def test_more_columns_than_fit_become_half_blocks() -> None:
    size = 32
    values = tuple(tuple(float(x <= y) / (y + 1) for x in range(size)) for y in range(size))
    labels = tuple(f"token{i}" for i in range(size))
    figure = Figure("t", "", (Heatmap("one", values, labels, labels),))
    drawn = terminal.render(figure, Screen(50, Depth.MANY))
    assert drawn.count("▀") == size * size // 2


@pytest.mark.whole
def test_a_browser_draws_the_page_light_and_dark(tmp_path: Path) -> None:
    from tests.browser import opened

    if chromium() is None:
        pytest.skip("there is no Chromium here")
    page = tmp_path / "page.html"
    exhibit = EXHIBITS["s03"](None)
    page.write_text(pages.render("t", reference(exhibit, exhibit.views).figures), encoding="utf-8")
    with opened() as chrome:
        for name, theme in (("light", palette.LIGHT), ("dark", palette.DARK)):
            shown = chrome.new_page(color_scheme=name, viewport={"width": 900, "height": 700})
            shown.goto(page.as_uri())
            shot = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
            seen = {colour: count for count, colour in shot.getcolors(1 << 20) or []}
            assert seen.get(theme.full, 0) > 500
            assert seen.get(theme.none, 0) > 500
