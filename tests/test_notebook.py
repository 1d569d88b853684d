"""Notebooks as files: those that are made for a step, and those that are handed in."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from book.pages import LIVE
from grader.base import course
from grader.base.blanks import make_stub
from grader.base.model import CheckResult, Kind, Report, Status, Step, Verdict
from grader.classroom.collect import only
from grader.classroom.reports import grade_one
from grader.learner import attempt
from grader.pipeline import grade
from grader.source import SourceProblem, notebook
from tests import ran
from tests.graded import variants
from tools import notebook as writer

pytestmark = pytest.mark.any_python

S05 = course.find("s05")


def variant(name: str) -> str:
    return variants.find(name).source.decode()


def test_another_seed_or_another_place_in_the_notebook_is_no_other_attempt(tmp_path: Path) -> None:
    step = replace(S05, root=tmp_path)
    (tmp_path / "solutions").symlink_to(course.ROOT / "solutions")
    cells = [
        notebook.graded_cell(first, "x = 1") for first in ("%%grade s05", "%%grade 5 --seed 3")
    ]
    checks = (CheckResult("scale", Kind.SOURCE, Status.FAIL, "m"),)
    failed = Report("s05", "T", "f", Verdict.FAIL, checks)
    tried = [attempt.noted(step, failed, cell).known.attempts for cell in cells]
    assert tried == [1, 1]
    other = notebook.graded_cell("%%grade s05", "x = 2")
    assert attempt.noted(step, failed, other).known.attempts == 2


def test_another_python_is_told_which_kernel_to_choose(tmp_path: Path) -> None:
    (tmp_path / "msgspec.py").write_text("raise ModuleNotFoundError('No module', name='msgspec')")
    code = "import grader.notebook; grader.notebook.load_ipython_extension(None)"
    done = ran.python("-c", code, PYTHONPATH=str(tmp_path))
    assert "choose the kernel .venv.notebook/bin/python" in done.stderr


# ---- the notebook of a step -----------------------------------------------------------------


@pytest.mark.parametrize("step", course.steps(), ids=lambda step: step.id)
def test_every_step_has_a_valid_notebook_with_its_lesson_and_its_stub(step: Step) -> None:
    made = writer.notebook(step)
    nbformat.validate(nbformat.from_dict(made))
    code = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code[0] == "%load_ext grader.notebook"
    assert code[-1].startswith(f"%%grade {step.id}\n")
    assert "pixiw run s" not in code[-1]
    made["cells"][-1]["source"] = "x = 1"  # without %%grade, and still the only answer
    assert notebook.program(json.dumps(made).encode(), "n", step.id) == b"x = 1\n"
    assert ["frame(" in one for one in code].count(True) == len(LIVE.get(step.id, ()))
    told = "\n".join("".join(cell["source"]) for cell in made["cells"])
    assert "## Tasks" in told
    for link in re.findall(r"\]\((?!http|#)([^)#]+)", told):
        assert (step.stub.parent / link).exists(), link


def test_an_existing_notebook_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "steps").mkdir()
    (tmp_path / "solutions").symlink_to(course.ROOT / "solutions")
    (tmp_path / "steps/step_05.md").symlink_to(S05.lesson)
    step = Step("s05", S05.title, tmp_path, S05.course)
    path = writer.write(step)
    assert json.loads(path.read_text(encoding="utf-8"))["nbformat"] == 4
    path.write_text("mine")
    assert writer.write(step).read_text() == "mine"


# ---- handed in ------------------------------------------------------------------------------


def handed(tmp_path: Path, *codes: str) -> Path:
    cells = [{"cell_type": "code", "source": code} for code in codes]
    path = tmp_path / "step_05.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return path


RIGHT = "%%grade s05\n" + S05.solution.read_text(encoding="utf-8")
WRONG = "%%grade s05\n" + variant("s05/wrong/no_mask")
OTHER = "%%grade s07\nraise ValueError"
USES = "layer = GPT2Attention(config)"


def test_a_notebook_that_is_handed_in_is_graded(tmp_path: Path) -> None:
    handed(tmp_path, "%load_ext grader.notebook", WRONG, USES, "\n" + RIGHT, OTHER, "%hint")
    assert grade_one(tmp_path, S05).verdict is Verdict.PASS


def test_a_notebook_counts_beside_the_untouched_stub(tmp_path: Path) -> None:
    handed(tmp_path, RIGHT)
    path = tmp_path / "step_05.py"
    for program, expected in (
        (make_stub(S05.solution.read_text()), "step_05.ipynb"),
        ("x = 1", "step_05.py"),
    ):
        path.write_text(program)
        found = only(tmp_path, "s05", tmp_path)
        assert found is not None
        assert found.origin.endswith(expected)


@pytest.mark.parametrize(
    ("codes", "program"),
    [
        ((WRONG, USES, RIGHT, OTHER), RIGHT),
        ((RIGHT, USES, WRONG), WRONG),
        ((USES, "\n\n  " + WRONG), WRONG),
        ((OTHER, "%%grade s05"), "%%grade s05"),
        ((OTHER, "%%grade step_5 --seed 3\nx = 1"), "%%grade step_5 --seed 3\nx = 1"),
        ((OTHER, "%%bash\nls", "x = 1", "%hint\ny = 2"), "x = 1\n# %hint\ny = 2"),
    ],
)
def test_its_program_is_the_last_cell_for_the_step_else_what_no_step_has(
    codes: tuple[str, ...], program: str, tmp_path: Path
) -> None:
    data = handed(tmp_path, *codes).read_bytes()
    found = notebook.program(data, "n", "s05").decode().rstrip()
    assert found == program.replace("%%", "# %%", 1).rstrip()


def test_a_notebook_can_be_graded_like_a_file(tmp_path: Path) -> None:
    path = handed(tmp_path, USES, WRONG)
    report = grade(S05, path)
    assert report.diagnosis[0].misconception == "no-mask"
    for codes in ((), (OTHER,)):
        with pytest.raises(SourceProblem, match="no code cells"):
            notebook.read_program(handed(tmp_path, *codes), "s05")


@pytest.mark.parametrize(
    ("code", "python"),
    [
        ("x = (7\n% 4)\n", "x = (7\n% 4)\n"),  # Python as it stands
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1\n"),
        ("!ls\n?print\ny = 2\n\n", "# !ls\n# ?print\ny = 2\n"),
    ],
)
def test_lines_for_jupyter_become_comments(code: str, python: str) -> None:
    assert notebook.graded_cell("%%grade s05", code) == f"# %%grade s05\n{python}".encode()


OTHERS = (
    "print??",
    "files = !ls 'it\nassert list(files) == []",
    "magic = %who\nassert magic is None",
    "for each in [1]:\n    !echo {each} \\\n  and more\n    %time timed = each\nassert timed == 1",
    "%%bash\nfor x in *; do echo $x; done",
    "# list them\n%%bash\nls | wc",
    "%%capture\n%%time\nfrom math import sqrt",
    "pip install numpy",
    "ls",
    "  indented = sqrt(4)\n  assert indented == 2",
    ">>> prompted = 3\n>>> def f():\n...     return 4",
    "In [3]: prompted += f()\n   ...: assert prompted == 7",
    "import asyncio\nasync def answer():\n    await asyncio.sleep(0)\n    return 42",
    "task = asyncio.create_task(answer()) ; got = (\n    await task)  # é\nassert got == 42",
    "async def each():\n    yield 5\nasync for number in each():\n    pass\nassert number == 5",
    "'''told'''\nfrom __future__ import (\n    annotations)\ndef typed(x: Unknown) -> None: ...",
    "# coding: koi8-r\ntext = '''é\n!no command\n%nor this\nnor help?'''\nprint?",
    "%run other.py\nassert text == 'é\\n!no command\\n%nor this\\nnor help?'",
    "display(3)",
    ",f a b\n;f a b\n/f a b\n!!ls\n?",
)
"""Cells that are right in Jupyter, and what they may count on."""


def as_notebook(*codes: str) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": code} for code in codes]}).encode()


def test_a_notebook_is_read_as_jupyter_reads_it() -> None:
    found = notebook.program(as_notebook("# coding: gbk", *OTHERS), "n", "s05")
    names: dict[str, object] = {"__file__": "step_05.py"}
    exec(compile(found, "n", "exec", dont_inherit=True), names)
    assert {"files", "magic", "typed"} < names.keys()


@pytest.mark.parametrize("code", OTHERS)
def test_ipython_takes_each_of_those_cells_and_each_keeps_its_lines(code: str) -> None:
    make: Any = TransformerManager
    transformed = make().transform_cell(code.removeprefix("# list them\n"))
    if code != "pip install numpy":  # IPython looks for such a magic only when it runs the cell
        compile(transformed, "n", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert notebook.graded_cell("%%grade s05", code).count(b"\n") == code.count("\n") + 2


def test_an_answer_counts_whatever_other_cells_have_for_jupyter(tmp_path: Path) -> None:
    answer = "from __future__ import annotations\n" + RIGHT.partition("\n")[2]
    handed(tmp_path, OTHERS[0], OTHERS[1], OTHERS[4], OTHERS[12], answer, OTHERS[13])
    assert grade_one(tmp_path, S05).verdict is Verdict.PASS


def test_a_notebook_with_too_much_code_is_refused() -> None:
    data = json.dumps({"cells": [{"cell_type": "code", "source": "#" * (1 << 19)}]}).encode()
    with pytest.raises(SourceProblem, match="256 KiB"):
        notebook.program(data, "n", "s05")
