"""The budgets of ``tools/budgets.toml``: what is counted, and what fails."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from grader.base.course import ROOT
from tools import budgets

pytestmark = pytest.mark.any_python

TEXT = """
[[room]]
name = "room"
paths = ["room"]
without = ["room/programs"]
budget = 3
ceiling = 5

[[room]]
name = "programs"
paths = ["room/programs"]
endings = [".py", ".edits"]
budget = 1
ceiling = 1

[limits]
paths = ["room"]
without = ["room/programs"]

[limit.module]
most = 6
of = "lines"
ceiling = 0

[limit.function]
most = 2
of = "lines"
ceiling = 1

[limit.folder]
most = 1
of = "modules"
ceiling = 1
"""
LONG = "def f() -> None:\n    pass\n\n    pass\n"


def counted(root: Path) -> dict[str, budgets.Row]:
    return {row.name.split()[0]: row for row in budgets.rows(root, tomllib.loads(TEXT))}


@pytest.fixture
def room(tmp_path: Path) -> Path:
    programs = tmp_path / "room" / "programs"
    programs.mkdir(parents=True)
    (programs / "one.py").write_text("x = 1\n\n")
    (programs / "two.edits").write_text("=== no_scale\n\n@@\n")
    (tmp_path / "room" / "__init__.py").write_text("\n")
    (tmp_path / "room" / "a.py").write_text(LONG)
    return tmp_path


def test_lines_are_counted_without_blanks_and_edits_as_programs(room: Path) -> None:
    found = counted(room)
    assert {name: row.now for name, row in found.items()} == {
        "room": 3,
        "programs": 3,
        "modules": 0,
        "functions": 1,
        "folders": 0,
    }
    assert [name for name, row in found.items() if row.too_much] == ["programs"]


def test_above_the_budget_is_shown_and_above_the_ceiling_is_too_much(room: Path) -> None:
    (room / "room" / "b.py").write_text("x = 1\n" * 2)
    assert not counted(room)["room"].too_much
    assert "+2" in str(counted(room)["room"])
    (room / "room" / "b.py").write_text("x = 1\n" * 7)
    found = counted(room)
    assert found["room"].too_much
    assert found["modules"].too_much
    assert found["modules"].names == ("room/b.py: 7",)
    assert found["functions"].names == ("room/a.py::f: 4",)
    assert found["folders"].names == ("room: 2",)


def test_ceilings_are_only_ever_lowered(room: Path) -> None:
    (room / "room" / "b.py").write_text("x = 1\n")
    table: dict[str, Any] = tomllib.loads(budgets.lowered(TEXT, list(counted(room).values())))
    assert [each["ceiling"] for each in table["room"]] == [4, 1]
    assert [each["ceiling"] for each in table["limit"].values()] == [0, 1, 1]


def test_every_place_of_the_real_table_exists() -> None:
    table = tomllib.loads(budgets.TABLE.read_text(encoding="utf-8"))
    for entry in (*table["room"], table["limits"]):
        for path in (*entry["paths"], *entry.get("without", ())):
            assert (ROOT / path).exists(), path
