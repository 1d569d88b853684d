"""Sync: the blocks that it replaces, and what it may overwrite."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.base.blanks import EARLIER, make_stub
from tests.tools.test_stubs import ONE
from tools.sync.blocks import TASKS_END, TASKS_START, BlockProblem, replace_block, report_markers
from tools.sync.generate import sync

NAMED = 'slug = "doubling"\nframework = "numpy"\n'


def test_a_block_is_replaced_between_its_markers() -> None:
    start, end = markers = report_markers("failed")
    text = f"above\n{start}\nold\n{end}\nbelow\n"
    once = replace_block(text, markers, "new\nlines")
    assert once == f"above\n{start}\nnew\nlines\n{end}\nbelow\n"
    assert replace_block(once, markers, "new\nlines") == once


@pytest.mark.parametrize("text", ["", "{0}\n", "{1}\n", "{1}\n{0}\n", "{0}\n{0}\n{1}\n"])
def test_a_block_without_its_two_markers_is_an_error(text: str) -> None:
    markers = report_markers("passed")
    with pytest.raises(BlockProblem):
        replace_block(text.format(*markers), markers, "new")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A course of one step that has never been synced."""
    for folder in ("solutions", "steps", "checks/step_01"):
        (tmp_path / folder).mkdir(parents=True)
    listed = 'steps = [{ id = "s01", title = "Double \\"it\\"" }]\n'
    (tmp_path / "course.toml").write_text(NAMED + listed)
    (tmp_path / "solutions" / "solution_01.py").write_text(ONE)
    (tmp_path / "steps" / "step_01.md").write_text("# Step 01\n")
    (tmp_path / "checks" / "step_01" / "rubric.py").write_text("")
    (tmp_path / "pixi.toml").write_text(f"[tasks]\n{TASKS_START}\n{TASKS_END}\n# rest\n")
    return tmp_path


def run(root: Path, *, check: bool = False, force: bool = False) -> int:
    """Sync without reports, which would need a whole course."""
    return sync(root, check=check, force=force, reports=False)


def stub_of(root: Path) -> Path:
    """The learner's file of the small course."""
    return root / "steps" / "step_01.py"


def change_solution(root: Path) -> None:
    """A maintainer rewords the task."""
    path = root / "solutions" / "solution_01.py"
    path.write_text(path.read_text().replace("Double it.", "Double x."))


def test_sync_writes_everything_once(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(small, check=True) == 1
    assert not stub_of(small).exists()
    assert run(small) == 0
    assert stub_of(small).read_text() == make_stub(ONE)
    task = tomllib.loads((small / "pixi.toml").read_text())["tasks"]["s01"]
    assert task["cmd"] == "python -m grader grade s01"
    assert task["description"] == 'Step 01: Double "it"'
    assert (small / "pixi.toml").read_text().endswith("# rest\n")
    capsys.readouterr()
    assert run(small, check=True) == 0
    assert run(small) == 0
    assert capsys.readouterr().out == "Everything is up to date.\n" * 2


def test_sync_brings_an_untouched_stub_up_to_date(small: Path) -> None:
    run(small)
    replaced = hashlib.sha256(stub_of(small).read_bytes()).hexdigest()
    for _ in range(2):
        change_solution(small)
        assert run(small) == 0
        assert "Double x." in stub_of(small).read_text()
    assert (small / "steps" / EARLIER).read_text() == f"{replaced}  step_01.py\n"


@pytest.mark.parametrize("work", ["def double(x):\n    return x + x\n", "", "half a l\xffne"])
def test_sync_keeps_a_learners_work(
    small: Path, work: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(small)
    stub_of(small).write_bytes(work.encode("latin-1"))
    capsys.readouterr()
    assert run(small) == 0
    assert "Kept steps/step_01.py" in capsys.readouterr().out
    change_solution(small)
    assert run(small) == 1, "the new stub could not be written, which is worth knowing"
    assert stub_of(small).read_bytes() == work.encode("latin-1")
    assert run(small, check=True) == 1


def test_a_learners_work_is_kept_after_the_digests_moved_on(small: Path) -> None:
    """Another sync later the kept file is still nobody's stub."""
    run(small)
    stub_of(small).write_text("my work\n")
    change_solution(small)
    run(small)
    run(small)
    assert stub_of(small).read_text() == "my work\n"


@pytest.mark.parametrize("damaged", [None, "", "not a digest  step_01.py\n", "\xff\xfe"])
def test_without_digests_every_difference_counts_as_work(small: Path, damaged: str | None) -> None:
    run(small)
    manifest = small / "steps" / "stubs.sha256"
    manifest.unlink()
    if damaged is not None:
        manifest.write_bytes(damaged.encode("latin-1"))
    stub_of(small).write_text("my work\n")
    run(small)
    assert stub_of(small).read_text() == "my work\n"


def test_force_replaces_work_and_keeps_a_copy(small: Path) -> None:
    run(small)
    for work in ("first try\n", "second try\n"):
        stub_of(small).write_text(work)
        assert run(small, force=True) == 0
        assert stub_of(small).read_text() == make_stub(ONE)
    copies = sorted(path.read_text() for path in (small / ".grader" / "backups").iterdir())
    assert copies == ["first try\n", "second try\n"]


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda root: (root / "solutions/solution_01.py").unlink(), "solution_01.py is missing"),
        (lambda root: (root / "steps" / "step_01.md").unlink(), "step_01.md is missing"),
        (lambda root: (root / "checks" / "step_01" / "rubric.py").unlink(), "rubric.py is missing"),
        (lambda root: (root / "pixi.toml").unlink(), "pixi.toml is missing"),
        (lambda root: (root / "pixi.toml").write_text("[tasks]\n"), "pixi.toml: .*is missing"),
        (lambda root: (root / "course.toml").write_text(f"{NAMED}steps = []\n"), "lists no step"),
        (
            lambda root: (root / "solutions" / "solution_02.py").write_text(ONE),
            "solution_02.py exists, but course.toml does not list s02",
        ),
        (
            lambda root: (root / "solutions" / "solution_01.py").write_text("x = 1\n"),
            "solution_01.py: There is no blank",
        ),
    ],
)
def test_what_does_not_pair_is_an_error_and_nothing_is_written(
    small: Path, break_it: Callable[[Path], object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    break_it(small)
    assert run(small) == 1
    assert re.search(said, capsys.readouterr().out)
    assert not stub_of(small).exists()
