"""``./pixiw run python``: the course and its engine in any Python program, from any folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from grader.base.course import ROOT
from tests import ran
from tests.marks import sampled

NOTHING_COMPILED = {"MAX_EAGER_ALLOW_LAZY_COMPILE": "0"}  # MAX refuses instead

SCRIPT = """
import sys
from max.experimental.tensor import Tensor
from max.experimental import functional as F
from solutions.solution_02 import causal_mask
from max.driver import CPU
from max.dtype import DType
mask = causal_mask(2, 0, dtype=DType.float32, device=CPU())
print(F.softmax(Tensor.zeros([2, 2]) + mask).to_numpy().tolist(), sys.argv[1:])
"""

FIRST = ("max.graph", "max.driver", "max.dtype", "max.experimental.nn", "max.nn")


def python(
    caller: Path, *arguments: str, typed: str | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """What pixi and pixiw run for ``python ARGUMENTS`` in the folder ``caller``."""
    more = {"INIT_CWD": str(caller), **NOTHING_COMPILED, **variables}
    how = {"typed": typed, "without": ["PYTHONPATH"]}
    return ran.python("-m", "tools.python", *arguments, **how, **more)


def test_a_script_outside_the_course_computes_at_once(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SCRIPT)
    done = python(tmp_path, "mine.py", "a b", "--flag")
    assert (done.stdout, done.stderr) == ("[[1.0, 0.0], [0.5, 0.5]] ['a b', '--flag']\n", "")


@pytest.mark.parametrize("first", sampled(5, FIRST))
def test_the_engine_is_in_place_whatever_is_imported_first(first: str, tmp_path: Path) -> None:
    done = python(tmp_path, "-c", f"import {first}\n{SCRIPT}")
    assert done.stdout.startswith("[[1.0, 0.0]"), done.stderr


def test_what_is_typed_computes_at_once(tmp_path: Path) -> None:
    done = python(tmp_path, "-i", "-q", typed=SCRIPT)
    assert "[[1.0, 0.0], [0.5, 0.5]] []" in done.stdout, done.stderr


def test_what_it_starts_has_the_engine_too(tmp_path: Path) -> None:
    """A notebook's kernel is such a process."""
    (tmp_path / "mine.py").write_text(SCRIPT)
    start = "import subprocess, sys; subprocess.run([sys.executable, 'mine.py'], check=True)"
    done = python(tmp_path, "-c", start)
    assert done.stdout.startswith("[[1.0, 0.0]"), done.stderr


def test_it_is_python_with_its_own_options_and_exit_status(tmp_path: Path) -> None:
    done = python(tmp_path, "-X", "utf8", "-c", "import sys; sys.exit(sys.flags.utf8_mode + 6)")
    assert done.returncode == 7
    assert python(tmp_path, "-m", "this").stdout.startswith("The Zen of Python")


def test_what_the_caller_has_on_the_path_stays_there(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/mine.py").write_text("print('mine')")
    (tmp_path / "own/sitecustomize.py").write_text("import sys; sys.usual = 'usual'")
    done = python(
        tmp_path, "-c", "import sys, mine; print(sys.usual)", PYTHONPATH=str(tmp_path / "own")
    )
    assert done.stdout == "mine\nusual\n"


def test_a_program_without_max_imports_none_of_it(tmp_path: Path) -> None:
    code = "import sys; print([name for name in sys.modules if name in ('max', 'numpy', 'grader')])"
    assert python(tmp_path, "-c", code).stdout == "[]\n"


def test_the_engine_can_be_left_out(tmp_path: Path) -> None:
    """MAX is not allowed to compile here, so it refuses."""
    done = python(tmp_path, "-c", SCRIPT, COURSE_ENGINE="max")
    assert done.returncode == 1
    assert "[[1.0" not in done.stdout


def test_the_last_choice_of_an_engine_counts(tmp_path: Path) -> None:
    code = f"from grader.frameworks.max import engine\nengine.install('max')\n{SCRIPT}"
    assert python(tmp_path, "-c", code).returncode == 1
    code = f"from grader.frameworks.max import engine\nengine.install('numpy')\n{SCRIPT}"
    assert python(tmp_path, "-c", code, COURSE_ENGINE="max").returncode == 0


SLOW = """
import course_waiting, sys, time
import max.experimental.functional as F
exec(compile("def call(seconds):\\n    time.sleep(seconds)", F.__file__, "exec"), globals())
for _ in range(200):  # many short calls are not one long one
    call(0.01)
print("now", file=sys.stderr, flush=True)
call(2.2)
call(2.2)  # once is enough
"""


def test_a_plain_python_says_that_max_may_be_compiling(tmp_path: Path) -> None:
    """A call into MAX that takes as long as compiling does. pixiw has Python import the module."""
    shutil.copy(ROOT / "tools/pixiw/waiting.py", tmp_path / "course_waiting.py")
    plain = {"PYTHONPATH": str(tmp_path), "MODULAR_TELEMETRY_ENABLED": "0"}

    def told(code: str, **variables: str) -> list[str]:
        unset = ("MAX_EAGER_EXECUTOR", "COURSE_ENGINE")
        done = ran.python("-c", code, without=unset, **plain, **variables)
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()

    now, advice = told(SLOW)
    assert now == "now"
    assert "./pixiw run python FILE" in advice
    inert = (
        "import sys, course_waiting; assert not [f for f in sys.meta_path if 'Waiting' in repr(f)]"
    )
    assert told(inert, MAX_EAGER_EXECUTOR="interpreter") == []


STEP = "from solutions.solution_01 import GPT2Config\nprint(GPT2Config().n_embd)\n"
GRADE = "To grade this file: ./pixiw run s05\n"


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """The folder of the steps, in a course that has only what step 05 needs here."""
    (tmp_path / "solutions").mkdir()
    shutil.copy(ROOT / "solutions/solution_01.py", tmp_path / "solutions")
    (tmp_path / "steps").mkdir()
    shutil.copy(ROOT / "steps/solutions.py", tmp_path / "steps")
    for name in ("step_05.py", "mine.py"):
        (tmp_path / "steps" / name).write_text(STEP)
    return tmp_path / "steps"


def alone(*arguments: str | Path) -> tuple[str, str]:
    done = ran.python(*arguments)
    return done.stdout, done.stderr


def test_a_step_run_by_itself_finds_the_earlier_ones_and_ends_with_how_to_grade_it(
    steps: Path,
) -> None:
    assert alone(steps / "step_05.py") == ("768\n", GRADE)
    assert alone(steps / "mine.py") == ("768\n", "")
    said = "This Python has no MAX. ./pixiw installs it.\n"
    assert alone("-S", steps / "step_05.py") == ("", said + GRADE)


def test_in_the_courses_environment_so_does_a_step_that_needs_no_earlier_one(steps: Path) -> None:
    shutil.copy(
        ROOT / "tools/pixiw/waiting.py", steps.parent / "waiting.py"
    )  # another is there already
    code = (
        "import sys; home, sys.prefix, name = sys.argv[1:]; sys.path.append(home)\n"
        "sys.argv = [f'{home}/steps/{name}']\n"
        "import waiting; print(sys.path.count(f'{home}/steps'))"
    )
    folders = steps.parent, steps.parent / ".venv"
    folders[1].mkdir()
    assert alone("-c", code, *folders, "step_05.py") == ("0\n", GRADE)
    assert alone("-c", code, *folders, "mine.py") == ("0\n", "")


def test_what_max_compiles_is_said_once_with_how_to_avoid_it(tmp_path: Path) -> None:
    code = """
import sitecustomize
from grader.frameworks.max import engine
engine.install = lambda kind, announce: (announce("one"), announce("two"))
import max.experimental
"""
    lacking = python(tmp_path, "-c", code).stderr.splitlines()
    assert [line.split(".")[0] for line in lacking] == [
        "one The course's engine does not have that operation",
        "two",
    ]
    chosen = python(tmp_path, "-c", code, COURSE_ENGINE="max").stderr
    assert "Without COURSE_ENGINE=max nothing is compiled." in chosen
