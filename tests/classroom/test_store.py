"""The results on disk: what is taken from them, and what makes them old."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import pipeline
from grader.base import course
from grader.base.model import Diagnosis, Excerpt, Report
from grader.classroom import store

EXCERPT = Excerpt("output", "a", ((1.0, 2.0),), ((float("nan"), float("inf")),), ("0",), ("0", "1"))


def report() -> Report:
    told = pipeline.unreadable(course.find("s05"), "no\ud800\nfile", "Hand one in.")
    return replace(told, diagnosis=(Diagnosis("m", "M", 3),), excerpt=EXCERPT)


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    keep = store.Store(tmp_path / "results")
    keep.save("a", report())
    assert repr(keep.load("a")) == repr(report())
    assert keep.load("b") is None


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    found = store.plain(report())
    change(found)
    return json.dumps(found)


DAMAGED = {
    "empty": "",
    "half": json.dumps(store.plain(report()))[:400],
    "no object": "[1, 2]",
    "a number": "7",
    "nested without end": "[" * 100_000,
    "binary": "\0\ufffe",
    "a verdict that does not exist": changed(lambda found: found.update(verdict="great")),
    "a field too few": changed(lambda found: found.pop("checks")),
    "a field of another type": changed(lambda found: found.update(seed="1")),
    "checks that are none": changed(lambda found: found.update(checks=[1])),
    "checks that are nothing": changed(lambda found: found.update(checks=None)),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_result_that_was_damaged_counts_as_not_there(tmp_path: Path, name: str) -> None:
    keep = store.Store(tmp_path)
    (tmp_path / "a.json").write_text(DAMAGED[name], encoding="utf-8")
    assert keep.load("a") is None
    (tmp_path / "folder.json").mkdir()
    assert keep.load("folder") is None


@pytest.mark.parametrize(
    ("path", "old"),
    [
        ("checks/step_05/rubric.py", True),
        ("checks/step_05/new.py", True),
        ("solutions/solution_04.py", True),
        ("grader/grading/judge.py", True),
        ("grader/source/syntax.toml", True),
        ("grader/explain/repair/weights.json", True),
        ("course.toml", True),
        ("grader/report/as_text.py", False),
        ("grader/classroom/page.py", False),
        ("steps/step_05.py", False),
    ],
)
def test_a_change_of_the_rubric_or_the_grader_makes_results_old(
    tmp_path: Path, path: str, old: bool
) -> None:
    for name in ("checks/step_05/rubric.py", "grader/grading/judge.py", "course.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    before = store.fingerprint(tmp_path, home=tmp_path)
    assert store.fingerprint(tmp_path, home=tmp_path) == before
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("x = 2\n")
    assert (store.fingerprint(tmp_path, home=tmp_path) != before) is old


def test_a_result_is_of_one_step_one_file_and_one_way_of_grading() -> None:
    given = [("f", "s05", "d", ""), ("g", "s05", "d", ""), ("f", "s07", "d", "")]
    given += [("f", "s05", "e", ""), ("f", "s05", "d", "strict")]
    assert len({store.key(*each) for each in given}) == len(given)


def test_a_class_keeps_one_private_key_and_damage_makes_a_new_one(tmp_path: Path) -> None:
    keep = store.Store(tmp_path)
    secret = keep.secret()
    path = tmp_path / store.SECRET
    assert len(secret) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)  # as a copy may be
    assert store.Store(tmp_path).secret() == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for damaged in ("", "\ufffe", path.read_text()[:-2]):
        path.write_text(damaged, encoding="utf-8")
        new = keep.secret()
        assert new != secret
        assert keep.secret() == new


def test_the_seed_of_a_file_is_known_only_with_the_key() -> None:
    one, other = b"1" * 32, b"2" * 32
    assert store.seed(one, "s05", "d") == store.seed(one, "s05", "d")
    seeds = {store.seed(*each) for each in ((one, "s05", "d"), (other, "s05", "d"),
                                            (one, "s07", "d"), (one, "s05", "e"))}  # fmt: skip
    assert len(seeds) == 4
