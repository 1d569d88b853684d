"""``pixi.toml`` and ``requirements/``: valid, in step with the course, and readable by pixiw."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from grader.base import course
from grader.cli import COMMANDS
from tools.lock import UNLOCKED
from tools.pixiw.manifest import Environment, Manifest, read

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return read(ROOT)


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pixi.toml").read_text(encoding="utf-8"))


def locked(manifest: Manifest) -> list[Environment]:
    return [each for each in manifest.environments.values() if each.name not in UNLOCKED]


def test_pixi_toml_is_valid_by_the_schema_of_pixi(tables: dict[str, Any]) -> None:
    schema = json.loads((ROOT / "tests/data/pixi-schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(tables)


def test_every_step_of_the_course_has_its_task_and_no_other(manifest: Manifest) -> None:
    tasks = {
        name: " ".join(task.command)
        for name, task in manifest.tasks.items()
        if re.fullmatch(r"s\d\d", name)
    }
    assert tasks == {step.id: f"python -m grader grade {step.id}" for step in course.steps(ROOT)}


def test_every_task_starts_something_that_exists(manifest: Manifest) -> None:
    for task in manifest.tasks.values():
        python, option, what = task.command[:3]
        assert (python, option) == ("python", "-m"), task
        if what == "grader":
            assert task.command[3] in COMMANDS, task
        else:
            assert importlib.util.find_spec(what), task


def test_a_task_that_is_not_described_is_another_name_of_one_that_is(manifest: Manifest) -> None:
    silent = {t.name: t.command for t in manifest.tasks.values() if not t.description}
    assert silent["s5"] == manifest.tasks["s05"].command
    described = [t.command for t in manifest.tasks.values() if t.description]
    assert all(command in described for command in silent.values())


def test_only_max_is_pinned_exactly(manifest: Manifest) -> None:
    lines = {line for each in manifest.environments.values() for line in each.requirements}
    assert [line.partition("==")[0] for line in lines if "==" in line] == ["max"]


def test_the_locks_are_those_of_this_pixi_toml(manifest: Manifest) -> None:
    for each in locked(manifest):
        first = (ROOT / each.lock).read_text(encoding="utf-8").splitlines()[0]
        assert each.digest in first, f"{each.lock} is out of step: ./pixiw run lock"


def test_the_locks_pin_each_package_with_its_hashes_and_name_no_address(manifest: Manifest) -> None:
    for each in locked(manifest):
        text = (ROOT / each.lock).read_text(encoding="utf-8")
        assert "://" not in text
        for block in re.split(r"\n(?=\w)", text)[1:]:
            assert re.match(r"[\w.-]+==[^ ]+ ", block), block
            assert "--hash=sha256:" in block, block


def test_a_package_is_locked_the_same_in_each_environment(manifest: Manifest) -> None:
    pins: dict[str, set[str]] = {}
    for each in locked(manifest):
        found = re.findall(r"(?m)^([\w.-]+)==(.+) \\$", (ROOT / each.lock).read_text("utf-8"))
        assert found
        for name in {name for name, _ in found}:
            pins.setdefault(name, set()).add(str([pin for one, pin in found if one == name]))
    assert [name for name, pinned in pins.items() if len(pinned) > 1] == []


def test_a_lock_leaves_out_what_the_environments_below_it_pin(manifest: Manifest) -> None:
    for each in locked(manifest):
        layers = [one for one in manifest.layers(each) if one in locked(manifest)]
        texts = [(ROOT / one.lock).read_text("utf-8") for one in layers]
        names = [set(re.findall(r"(?m)^([\w.-]+)==", text)) for text in texts]
        assert not set().union(*names[:-1]) & names[-1]


def test_environments_lie_on_each_other(manifest: Manifest) -> None:
    for name, wanted in {
        "default": ["default"],
        "book": ["default", "book"],
        "desk": ["default", "book", "desk"],
        "lint": ["default", "uv", "classroom", "book", "desk", "test", "lint"],
        "parity": ["default", "uv", "classroom", "book", "desk", "test", "parity"],
    }.items():
        layers = manifest.layers(manifest.environment(name))
        assert [each.name for each in layers] == wanted
