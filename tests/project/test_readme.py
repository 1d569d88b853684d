"""README.md: short, one picture of the desk, and only what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from grader.base import course
from grader.base.course import ROOT
from tests import ran
from tools import film
from tools.pixiw.manifest import read

pytestmark = pytest.mark.any_python

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "docs/working.md"]


def test_it_is_short_and_has_two_commands_first() -> None:
    assert len(TEXT.splitlines()) <= 120
    first, second = re.findall(r"(?s)```sh\n(.*?)```", TEXT)[0].splitlines()
    assert first.startswith("./pixiw run s05 ")
    assert second.startswith("./pixiw run test ")
    assert "people who change the course" in second


def test_its_picture_is_the_film_and_small() -> None:
    assert re.findall(r"!\[[^\]]{60,}\]\(([^)]+)\)", TEXT) == ["docs/desk.webp"]
    assert film.FILM.stat().st_size <= 400_000
    with Image.open(film.FILM) as picture:
        assert getattr(picture, "n_frames", 1) > 10
        assert picture.size[0] == film.WIDTH


def test_every_step_is_in_its_table() -> None:
    rows = re.findall(r"(?m)^\| (\d\d) \| ", TEXT)
    assert rows == [step.number for step in course.steps()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_its_tasks_exist(page: Path) -> None:
    named = re.findall(r"pixiw run ((?!-|NAME|help)[\w-]+)", page.read_text(encoding="utf-8"))
    assert named
    assert set(named) - {"python"} <= set(read(ROOT).tasks)


def test_the_model_generates_what_it_shows() -> None:
    shown = re.search(r"\$ \./pixiw run gpt2 --mine (--prompt \"She was\" .*)\n(.*)\n", TEXT)
    assert shown is not None
    arguments = shown[1].replace('"She was"', "She_was").split()
    arguments = [one.replace("_", " ") for one in arguments]
    told = ran.said("-m", "gpt2", *arguments, "--engine", "numpy")
    assert told.split() == shown[2].split()
