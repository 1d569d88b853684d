"""CONTRIBUTING.md: each recipe, followed to the letter with the examples that it prints."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from grader.base.course import ROOT
from tests import ran
from tests.graded import variants
from tests.own_course import Course, copy_course

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
LONGEST = 150


def recipe(heading: str) -> tuple[str, str]:
    """A section of the page, and the example in it."""
    text = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.search(r"```\w+\n(.*?)```", text, re.DOTALL)
    assert found is not None, heading
    return text, found[1]


def enter(path: Path, before: str, text: str) -> None:
    """Put ``text`` in front of the only ``before`` in a file."""
    whole = path.read_text(encoding="utf-8")
    assert whole.count(before) == 1
    path.write_text(whole.replace(before, text + before), encoding="utf-8")


@pytest.fixture
def own(tmp_path: Path) -> Course:
    return copy_course(tmp_path)


def test_it_is_short() -> None:
    assert len(PAGE.splitlines()) <= LONGEST


def test_a_variant_is_added(own: Course) -> None:
    _, entry = recipe("Add a variant")
    folder = own.root / "tests/variants/s05"
    shutil.copytree(variants.FOLDER / "s05/right", folder / "right")
    (folder / "wrong.edits").write_text(entry, encoding="utf-8")
    one = variants.find("s05/wrong/example", folder.parent)
    own.file().write_bytes(one.source)
    report = json.loads(own.run("grade", "s05", "--format", "json").stdout)
    assert report["first_to_fix"] in one.checks
    assert {each["misconception"] for each in report["diagnosis"]} in one.concepts


def test_an_error_is_explained(own: Course) -> None:
    _, row = recipe("Add an error's explanation")
    own.spoil("int(Dim(num_tokens))", "__import__('math').sqrt(-1.0)", "02")
    said = re.findall(r'^(?:says|look) = "(.*)"$', row, re.MULTILINE)
    assert len(said) == 2
    before = own.run("grade", "s02", "--format", "json").stdout
    assert not any(text in before for text in said)
    table = own.root / "grader/frameworks/errors/python.toml"
    enter(table, '[[error]]\ntype = "ChangedArgument"\n', f"{row}\n")
    after = own.run("grade", "s02", "--format", "json").stdout
    assert all(text in after for text in said), after


def test_an_export_format_is_added(own: Course) -> None:
    _, module = recipe("Add an export format")
    (own.root / "grader/report/as_tap.py").write_text(module, encoding="utf-8")
    enter(own.root / "grader/cli/formats.py", '"lines")\n', '"tap", ')
    own.solve("02")
    done = own.run("grade", "s02", "--format", "tap")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"(ok \d+\n)+", done.stdout)


def test_an_experiment_is_added(tmp_path: Path) -> None:
    text, function = recipe("Add an experiment")
    assert "`EXPERIMENTS`" in text
    for name in ("grader", "gpt2", "course.toml", "pixi.toml", "solutions"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "tools/lab", tmp_path / "tools/lab")
    module = tmp_path / "tools/lab/experiments.py"
    enter(module, "EXPERIMENTS = {", f"{function}\n\n")
    enter(module, "fused, cache", "squares, ")
    words = ("-m", "tools.lab", "squares", "--engine", "numpy", "--turns", "1")
    assert "100,000 numbers" in ran.said(*words, cwd=tmp_path, without=["PYTHONPATH"])
