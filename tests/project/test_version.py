"""The version: written once, and shown by the commands and in the reports."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace

import pytest
from click.testing import CliRunner

from grader import __version__, pipeline
from grader.base import course
from grader.base.course import ROOT
from grader.classroom import exports
from grader.cli import cli
from grader.report import as_gradescope, as_html, as_json, as_junit, as_text
from tests import ran
from tests.classroom.test_platforms import book, person, read

pytestmark = pytest.mark.any_python

REPORT = replace(pipeline.unreadable(course.find("s05"), "x"), isolation="confined")


def test_the_commands_tell_it() -> None:
    assert ran.command(ROOT / "pixiw", "--version").stdout == f"attention-course {__version__}\n"
    assert CliRunner().invoke(cli, ["--version"], prog_name="grader").output == (
        f"grader, version {__version__}\n"
    )


def test_it_is_written_in_one_place() -> None:
    assert "version" not in tomllib.loads((ROOT / "pixi.toml").read_text("utf-8"))["workspace"]
    assert "project" not in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_changelog_and_the_citation_are_about_it() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert released is not None
    assert released[1] == __version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'\nversion: "{__version__}"\n' in citation
    assert f'\ndate-released: "{released[2]}"\n' in citation


def test_reports_have_it() -> None:
    assert json.loads(as_json.render(REPORT))["version"] == __version__
    assert json.loads(as_gradescope.render(REPORT))["extra_data"]["version"] == __version__
    assert f'<property name="grader" value="{__version__}" />' in as_junit.render(REPORT)
    for text in (as_html.render(REPORT, {}), as_text.render(REPORT, verbose=True)):
        assert f"version {__version__}" in text


def test_a_class_has_it_in_every_file_for_people() -> None:
    files = exports.files(book(person("Ada")), ("text",), lambda form, _: form)
    texts = {name: str(text) for name, text in files.items()}
    assert {row["grader"] for row in read(texts.pop("gradebook.csv"))} == {__version__}
    assert set(texts) == {"class.html", "wall.html", "text/Ada_s05.txt"}
    assert all(f"version {__version__}" in text for text in texts.values())
