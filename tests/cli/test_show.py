"""``show``: what the heads of a program look at, in a pipe, a terminal and files."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from grader.base import course
from grader.cli import cli
from grader.report.figures import palette
from tests import ran
from tests.graded import variants
from tests.report.test_figures import ESCAPES

pytestmark = pytest.mark.any_python


def grader(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """``python -m grader`` with its output in a pipe."""
    return ran.python("-m", "grader", *args, **environment)


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
