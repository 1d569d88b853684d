"""A second course, on NumPy and in a folder of its own, graded by the same code without MAX.

Everything runs in an environment in which ``import max`` ends the process at once: the command,
the fork server, each worker, each process of a class.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pytest

from grader.base import course
from grader.base.blanks import make_stub
from grader.frameworks import Framework, UnknownFramework, load
from grader.frameworks.max import Max
from grader.frameworks.numpy import NumPy
from tests import ran

COURSE = Path(__file__).resolve().parents[1] / "courses" / "numpy"
TRAPPED = 86
UNSET = ("NO_COLOR", "GRADER_PLAIN", "PIXI_PROJECT_ROOT", "INIT_CWD", "PYTHONPATH")
SCALE = " / math.sqrt(self.key.shape[-1])"


@dataclass(frozen=True)
class Other:
    """A copy of the course, and the Python that grades it."""

    root: Path
    python: str

    def command(self, *arguments: str) -> list[str]:
        return [self.python, "-m", "grader", "--course", str(self.root), *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in UNSET}
        return {**kept, "PYTHONUTF8": "1", **more}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return ran.command(*self.command(*arguments), cwd=course.HOME, without=UNSET)

    def solution(self, number: str) -> str:
        return (self.root / "solutions" / f"solution_{number}.py").read_text(encoding="utf-8")

    def file(self, number: str) -> Path:
        return self.root / "steps" / f"step_{number}.py"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python with the packages of this one, and a MAX that ends who imports it."""
    folder = tmp_path_factory.mktemp("trap")
    venv.EnvBuilder(symlinks=True).create(folder)
    (own,) = folder.glob("lib/python3*/site-packages")
    (own / "max").mkdir()
    (own / "max" / "__init__.py").write_text(f"import os\nos._exit({TRAPPED})\n")
    real = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    (own / "packages.pth").write_text("".join(f"{entry}\n" for entry in real))
    for above in (folder, folder.parent):  # root's workers are another user
        above.chmod(0o755)
    return str(folder / "bin" / "python")


@pytest.fixture
def other(tmp_path: Path, python: str) -> Other:
    shutil.copytree(COURSE, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))
    return Other(tmp_path / "course", python)


def test_both_are_frameworks_and_a_third_is_none() -> None:
    known: tuple[Framework, ...] = (Max(), NumPy())
    assert {type(load(one.name)) for one in known} == {Max, NumPy}
    with pytest.raises(UnknownFramework, match="abacus"):
        load("abacus")


def test_the_trap_works(other: Other) -> None:
    done = ran.command(other.python, "-c", "import max", without=UNSET)
    assert done.returncode == TRAPPED
    on_max = Other(course.HOME, other.python)
    graded = on_max.run("grade", "s01", "--file", "solutions/solution_01.py")
    assert "❌" in graded.stdout or graded.returncode == 3, graded.stdout + graded.stderr


@pytest.mark.parametrize("number", ["01", "02"])
def test_the_stub_is_what_the_solution_generates(number: str) -> None:
    source = (COURSE / "solutions" / f"solution_{number}.py").read_text(encoding="utf-8")
    stub = (COURSE / "steps" / f"step_{number}.py").read_text(encoding="utf-8")
    assert stub == make_stub(source)


def test_the_solutions_pass(other: Other) -> None:
    done = other.run("check", "--solutions")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"(s0\d)  (\d)/\2", done.stdout) == [("s01", "4"), ("s02", "4")]


def test_a_stub_fails_with_a_hint(other: Other) -> None:
    done = other.run("grade", "s01")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "softmax returned None, expected a NumPy array\n   Line 32: return None\n" in done.stdout
    assert "   Hint: Does every path of the function end in a return?\n" in done.stdout


@pytest.mark.parametrize(
    ("number", "text", "instead", "said"),
    [
        ("01", "axis=-1", "axis=0", "Use axis=-1."),
        ("02", SCALE, "", "The scores are not divided by √head_dim."),
        ("02", "import math", "import math, mathx", "There is no module mathx"),
        ("02", "-1, -2", "-1", "swapaxes"),
        ("02", "x @ self.query", "x @ self.weight", "self.weight does not exist"),
        ("02", "from solutions.solution_01", "from solutions.solution_02", "solution_01, numpy"),
        (
            "02",
            "(config.n_embd, config.head_dim)",
            "(config.head_dim, config.n_embd)",
            "The parameter query has shape",
        ),
    ],
)
@pytest.mark.sampled(3)
def test_a_mistake_is_named(other: Other, number: str, text: str, instead: str, said: str) -> None:
    assert text in other.solution(number)
    other.file(number).write_text(other.solution(number).replace(text, instead), encoding="utf-8")
    done = other.run("grade", f"s{number}", "--format", "json")
    assert done.returncode == 1, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == "fail"
    assert said in json.dumps(report, ensure_ascii=False)


@pytest.mark.whole
def test_it_is_watched(other: Other) -> None:
    screen = pexpect.spawn(
        other.python,
        other.command("watch", "s02")[1:],
        cwd=str(course.HOME),
        env=other.environment(TERM="xterm"),
        encoding="utf-8",
        dimensions=(40, 100),
        timeout=90,
    )
    try:
        screen.expect("report 1")
        screen.expect("The forward pass returned None")
        for number, source in enumerate(
            (other.solution("02").replace(SCALE, ""), other.solution("02")), start=2
        ):
            other.file("02").write_text(source, encoding="utf-8")
            screen.expect(f"report {number}")
            screen.expect("not divided by √head_dim" if number == 2 else "All checks passed")
        screen.send("q")
        screen.expect(pexpect.EOF)
        screen.wait()
        assert screen.exitstatus == 0
    finally:
        screen.close(force=True)


@pytest.mark.whole
def test_it_is_graded_as_a_class(other: Other, tmp_path: Path) -> None:
    given = {
        "ada/step_01.py": other.solution("01"),
        "ada/step_02.py": other.solution("02"),
        "bob/step_01.py": other.solution("01").replace("axis=-1", "axis=0"),
        "cy/step_02.py": "def (\n",
    }
    for name, text in given.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    steps = ("--step", "s01", "--step", "s02")
    done = other.run(
        "class", str(tmp_path / "in"), *steps, "--out", str(out), "--trust-submissions"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with (out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    verdicts = {name: (row["s01 verdict"], row["s02 verdict"]) for name, row in rows.items()}
    assert verdicts == {
        "ada": ("pass", "pass"),
        "bob": ("fail", "missing"),
        "cy": ("missing", "fail"),
    }


@pytest.mark.whole
@pytest.mark.usefixtures("confining")
def test_its_answers_are_hidden(other: Other) -> None:
    """The command puts the course on its own path, which the worker must not see."""
    nosy = "\ntry:\n    open({!r}).read()\nexcept OSError:\n    pass\nelse:\n    del softmax\n"
    for secret in ("solutions/solution_01.py", "checks/formulas.py", "course.toml"):
        text = other.solution("01") + nosy.format(str(other.root / secret))
        other.file("01").write_text(text, encoding="utf-8")
        done = other.run("grade", "s01")
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.whole
def test_other_commands_know_it(other: Other) -> None:
    assert "0 of 2 steps passed" in other.run("list").stdout
    assert "The weight of a score is its power" in other.run("explain", "s01", "weights").stdout
    assert (
        "There is no engine 'max'. The engines are numpy."
        in other.run("grade", "s01", "--engine", "max").stderr
    )
    doctor = other.run("doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "MAX" not in doctor.stdout


@pytest.mark.whole
def test_its_autograder_holds_the_course_and_the_grader(other: Other, tmp_path: Path) -> None:
    made = tmp_path / "autograder.zip"
    done = other.run("autograder", "s02", "--out", str(made))
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.unpack_archive(made, tmp_path / "source")
    words = (other.python, "-m", "grader", "check", "--solutions")
    graded = ran.command(*words, cwd=tmp_path / "source", without=UNSET)
    assert graded.returncode == 0, graded.stdout + graded.stderr
    assert "s02  4/4" in graded.stdout
    assert not (tmp_path / "source" / "gpt2").exists()


def test_a_folder_without_a_course_is_wrong_usage(other: Other, tmp_path: Path) -> None:
    done = Other(tmp_path, other.python).run("list")
    assert done.returncode == 2
    assert f"There is no course.toml in {tmp_path}" in done.stderr
