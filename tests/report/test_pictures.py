"""Pictures: the window of a wrong result, and heatmaps for terminal and page.

Longer than 300 lines, because one picture is drawn in every format.
"""

from __future__ import annotations

import fcntl
import math
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from PIL import Image

from checks.shared import texts
from grader.base import course
from grader.base.model import Excerpt, Report
from grader.cli import cli
from grader.pipeline import Options, grade
from grader.report import as_json
from grader.report.pictures import ansi, failure, palette, svg, terminal
from grader.report.pictures import page as pages
from grader.report.pictures.heads import reference
from grader.report.pictures.heatmap import STEPS, Figure, Heatmap, Scale, level, number
from grader.report.pictures.run import draw_program
from grader.report.pictures.terminal import Depth, Screen
from grader.rubric import load
from grader.rubric.exhibit import Exhibit
from grader.sandbox import WorkerPool
from tests.graded import variants
from tests.marks import sampled
from tools.sync import blocks, figures

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


# ---- what the heads of a step look at -------------------------------------------------------


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


# ---- the figures in the lessons -------------------------------------------------------------


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


def grader(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``python -m grader`` with its output in a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "grader", *args],
        cwd=course.ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_in_a_pipe_there_are_digits() -> None:
    done = grader("show", "s03", "--head", "0")
    assert done.returncode == 0, done.stderr
    assert ["she", ".19", ".19", ".62"] in [line.split()[:4] for line in done.stdout.splitlines()]
    assert "\x1b" not in done.stdout


def test_where_the_heads_are_right_the_first_wrong_numbers_are_drawn() -> None:
    with variants.as_file(variants.find("s05/wrong/c_proj_bias_dropped")) as path:
        done = grader("show", "s05", "--file", str(path), "--head", "0", "--text", "she loves")
    assert done.returncode == 1, done.stderr
    assert done.stdout.index("Difference") < done.stdout.index("Head 0")
    assert "The forward pass" in done.stdout
    means, lesson = done.stdout.splitlines()[-2:]
    assert means.startswith("What it means: ")
    assert lesson.startswith('Lesson: steps/step_05.md, "')


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["s05", "--text", " "], "The text is empty"),
        (["s05", "--text", "word " * 90], "at most 32"),
        (["s05", "--head", "7"], "heads 0 to 3"),
        (["s08"], "no attention"),
        (["s04", "--text", "one"], "no room for padding"),
        (["s99"], "There is no step"),
        (["s03", "--html", "steps/step_03.py"], "ends in .html"),
        (["s11", "--mine", "--layer", "9"], "layers 0 to"),
    ],
    ids=["empty", "long", "head", "no-attention", "one-word", "step", "name", "layer"],
)
def test_wrong_usage_is_told(args: list[str], told: str) -> None:
    done = CliRunner().invoke(cli, ["show", *args])
    assert (done.exit_code, told in done.output) == (2, True), done.output


def test_a_file_that_cannot_be_drawn_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def causal_mask(:\n", encoding="utf-8")
    for path, told in ((broken, "line 1"), (tmp_path / "nosuch.py", "no file")):
        done = grader("show", "s02", "--file", str(path))
        assert done.returncode == 1
        assert told in done.stderr
        assert "Traceback" not in done.stderr


def test_pictures_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    page, picture = tmp_path / "page.html", tmp_path / "picture.png"
    done = grader("show", "s03", "--html", str(page), "--png", str(picture))
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=|https?:|@import|url\(", text)
    assert text.count('<svg viewBox="') == text.count("<table>") == 4
    image = Image.open(picture).convert("RGB")
    colours = {colour for _, colour in image.getcolors(1 << 20) or []}
    assert {palette.LIGHT.full, palette.LIGHT.none} <= colours
    done = grader("show", "s03", "--html", str(tmp_path / "nosuch" / "page.html"))
    assert (done.returncode, "could not be written" in done.stderr) == (3, True)


def in_terminal(width: int, *args: str, **environment: str) -> str:
    """What ``python -m grader`` writes to a terminal of this width."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    usual = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "COLORTERM")}
    process = subprocess.Popen(
        [sys.executable, "-m", "grader", *args],
        cwd=course.ROOT,
        env={**usual, "PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color", **environment},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    data = b""
    try:
        while chunk := os.read(leader, 65536):
            data += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    finally:
        os.close(leader)
    assert process.wait(60) == 0
    return data.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_that_fit_it() -> None:
    for width, environment in ((40, {}), (80, {"COLORTERM": "truecolor"})):
        drawn = in_terminal(width, "show", "s05", "--head", "2", **environment)
        assert ("\x1b[48;2;" if environment else "\x1b[48;5;") in drawn
        assert max(map(len, ESCAPES.sub("", drawn).splitlines())) <= width
    shaded = in_terminal(40, "show", "s05", "--head", "2", NO_COLOR="1")
    assert "\x1b" not in shaded
    assert "█" in shaded


@pytest.mark.whole
def test_a_browser_draws_the_page_light_and_dark(tmp_path: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    page = tmp_path / "page.html"
    exhibit = EXHIBITS["s03"](None)
    page.write_text(pages.render("t", reference(exhibit, exhibit.views).figures), encoding="utf-8")
    for name, theme, extra in (
        ("light", palette.LIGHT, []),
        ("dark", palette.DARK, ["--blink-settings=preferredColorScheme=0"]),
    ):
        shot = tmp_path / f"{name}.png"
        quiet = "--disable-quic --no-first-run --disable-background-networking --disable-sync"
        subprocess.run(
            [
                chromium,
                *["--headless", "--no-sandbox", "--disable-gpu", "--disable-component-update"],
                *quiet.split(),
                f"--user-data-dir={tmp_path / name}",
                f"--screenshot={shot}",
                "--window-size=900,700",
                *extra,
                page.as_uri(),
            ],
            capture_output=True,
            timeout=120,
            check=True,
        )
        counted = Image.open(shot).convert("RGB").getcolors(1 << 20) or []
        seen = {colour: count for count, colour in counted}
        assert seen.get(theme.full, 0) > 500
        assert seen.get(theme.none, 0) > 500
