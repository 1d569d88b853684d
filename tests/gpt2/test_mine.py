"""``python -m gpt2 --mine``: a learner's own steps."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gpt2 import course as own
from grader.base.course import ROOT
from tests.gpt2.test_gpt2 import run
from tests.marks import sampled


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The course with every step solved by its learner."""
    place = tmp_path_factory.mktemp("course")
    for name in ("gpt2", "grader", "checks", "solutions", "steps"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "course.toml", place)
    for path in (place / "solutions").glob("solution_*.py"):
        number = path.stem.removeprefix("solution_")
        shutil.move(path, place / "steps" / f"step_{number}.py")
        shutil.copy(place / "steps" / f"step_{number}.py", path)
    return place


def mine(clone: Path, *more: str) -> subprocess.CompletedProcess[str]:
    how = ("--mine", "--tokens", "2", "--seed", "1", *more)
    return run(*how, root=clone, PYTHONPATH="")


def test_own_steps_write(clone: Path) -> None:
    path = clone / "steps" / "step_12.py"
    text = path.read_text()
    path.write_text(text + '\nprint("my own step 12")\n')
    done = mine(clone)
    path.write_text(text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("my own step 12\nIt is a truth")


UNSTAGED = {
    "one by one": (
        "seq_len = input_ids.shape[-1]",
        "seq_len = int(input_ids.shape[-1])",
        "The prompt is read token by token",
    ),
    "anew for every token": (
        "past = 0 if cache is None else cache[0][0].shape[-2]",
        "past = 0 if cache is None else int(cache[0][0].shape[-2])",
        "staged anew for every token",
    ),
    "other numbers for a name": (
        "if seq_len != 1:",
        "if isinstance(seq_len, StaticDim) and seq_len != 1:",
        "it computes different numbers",
    ),
}
"""Lines of step 12 that need a number for a length, and what is said of them."""


@pytest.mark.any_python
@pytest.mark.parametrize("name", sampled(3, UNSTAGED))
def test_own_code_that_cannot_be_staged_writes_the_same_text(clone: Path, name: str) -> None:
    path = clone / "steps" / "step_12.py"
    text = path.read_text()
    line, needy, words = UNSTAGED[name]
    assert line in text
    how = ("--temperature", "0", "--tokens", "5")
    right = mine(clone, *how)
    path.write_text(
        text.replace(line, needy).replace(
            "from max.dtype import DType",
            "from max.dtype import DType\nfrom max.graph import StaticDim",
        )
    )
    done = mine(clone, *how)
    path.write_text(text)
    assert "token by token" not in right.stderr
    assert "anew" not in right.stderr
    assert (done.returncode, done.stdout) == (0, right.stdout), done.stderr
    assert words in done.stderr


def test_the_line_of_a_broken_step_is_named(clone: Path) -> None:
    path = clone / "steps" / "step_09.py"
    text = path.read_text()
    line = "hidden_states = self.c_fc(hidden_states)"
    path.write_text(text.replace(line, "hidden_states = self.c_fcc(hidden_states)"))
    done = mine(clone)
    path.write_text("def half(:\n" + text)
    half = mine(clone)
    path.write_text(text)
    number = text[: text.index(line)].count("\n") + 1
    assert (done.returncode, half.returncode) == (1, 1)
    assert f"steps/step_09.py, line {number}: hidden_states = self.c_fcc" in done.stderr
    assert "AttributeError" in done.stderr
    assert "run s09` grades that step" in done.stderr
    assert "steps/step_09.py, line 1: def half(:\nSyntaxError" in half.stderr
    assert "Traceback" not in done.stderr + half.stderr


def test_blank_steps_are_listed_and_the_first_is_named(clone: Path) -> None:
    kept = {}
    for number in ("05", "08"):
        path = clone / "steps" / f"step_{number}.py"
        kept[path] = path.read_bytes()
        path.write_bytes((ROOT / "steps" / path.name).read_bytes())
    done = mine(clone)
    for path, data in kept.items():
        path.write_bytes(data)
    assert done.returncode == 1
    assert "Still blank: 05 and 08." in done.stderr
    assert "Write step 05 first. Its lesson is steps/step_05.md" in done.stderr


def test_the_steps_of_the_model_are_those_that_step_12_imports() -> None:
    assert own.needed() == ["01", "02", "03", "05", "08", "09", "11", "12"]
