"""``--format lines``, read by the editors' own patterns: VS Code's, vim's, emacs's."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.base import course
from grader.base.model import CheckResult, Kind, Report, Status, Verdict
from grader.report import as_lines
from tests import ran
from tests.graded import variants

pytestmark = pytest.mark.any_python

S05 = course.find("s05")
TASKS = json.loads((course.ROOT / ".vscode/tasks.json").read_text(encoding="utf-8"))["tasks"]

EMACS = re.compile(
    r"^(?:[A-Za-z][-A-Za-z0-9.]+: ?)?"  # a program's name
    r"(?P<file>[0-9]*[^0-9\n](?:[^\n :]| [^-/\n]|:[^ \n])*?)"
    r": ?(?P<line>[0-9]+)(?:[.:](?P<column>[0-9]+))?:"
    r"(?: *[Ww]arning| *(?:[Ii]nfo|[Nn]ote)| *[Ee]rror|[0-9]?(?:[^0-9\n]|$)|[0-9]{3})"
)
"""What ``gnu`` in emacs' ``compilation-error-regexp-alist-alist`` matches, without its ranges."""


def matcher(label: str) -> dict[str, Any]:
    found = next(task for task in TASKS if task["label"] == label)["problemMatcher"]
    assert isinstance(found, dict)
    return found


def problems(label: str, output: str) -> list[tuple[str, int, int, str]]:
    """What VS Code lists: its matcher is tried on each line."""
    pattern = matcher(label)["pattern"]
    found = [m for line in output.splitlines() if (m := re.search(pattern["regexp"], line))]
    return [
        (
            m[pattern["file"]],
            int(m[pattern["line"]]),
            int(m[pattern["column"]]),
            m[pattern["message"]],
        )
        for m in found
    ]


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wrong") / "step_05.py"
    path.write_bytes(variants.find("s05/wrong/no_mask").source)
    return path


@pytest.fixture(scope="module")
def output(wrong: Path) -> str:
    """Two problems and a last line, as a real grading prints them."""
    done = graded("--file", str(wrong))
    assert done.returncode == 1, done.stderr
    return done.stdout


def graded(*arguments: str) -> subprocess.CompletedProcess[str]:
    return ran.python("-m", "grader", "grade", "s05", "--format", "lines", *arguments)


def test_each_problem_is_a_line_with_its_hint_and_the_last_line_is_none(
    output: str, wrong: Path
) -> None:
    *lines, last = output.splitlines()
    assert len(lines) == 2
    source = wrong.read_text().splitlines()
    number = next(n for n, line in enumerate(source, 1) if "F.softmax" in line)
    column = source[number - 1].index("return") + 1
    for line in lines:
        assert line.startswith(f"{wrong}:{number}:{column}: ")
        assert " Hint: " in line
    assert re.fullmatch(r"s05: \d+ of 31 checks passed", last)


def test_vs_code_lists_every_problem_at_its_line(output: str, wrong: Path) -> None:
    found = problems("grade the open step", output)
    assert [file for file, *_ in found] == [str(wrong)] * 2
    assert all(line > 1 and column > 1 for _, line, column, _ in found)
    assert "causal_mask" in found[0][3]


def test_emacs_finds_every_problem(output: str) -> None:
    found = [m for line in output.splitlines() if (m := EMACS.match(line))]
    told = [(m["file"], int(m["line"]), int(m["column"])) for m in found]
    assert told == [one[:3] for one in problems("grade the open step", output)]


LISP = """
(require 'compile)
(insert-file-contents "errors")
(compilation-mode)
(let ((inhibit-read-only t)) (compilation--ensure-parse (point-max)))
(while (not (eobp))
  (let ((found (get-text-property (point) 'compilation-message)))
    (when found
      (let ((place (compilation--message->loc found)))
        (princ (format "%s %s %s\\n" (caar (compilation--loc->file-struct place))
                       (compilation--loc->line place) (compilation--loc->col place))))))
  (forward-line 1))
"""


@pytest.mark.skipif(shutil.which("emacs") is None, reason="emacs is not installed")
def test_emacs_itself_finds_every_problem(output: str, tmp_path: Path) -> None:
    (tmp_path / "errors").write_text(output, encoding="utf-8")
    (tmp_path / "script.el").write_text(LISP)
    done = ran.command("emacs", "--batch", "-Q", "-l", "script.el", cwd=tmp_path)
    expected = [one[:3] for one in problems("grade the open step", output)]
    assert done.stdout.splitlines() == [" ".join(map(str, one)) for one in expected]


@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_vim_finds_every_problem_without_any_settings(output: str, tmp_path: Path) -> None:
    (tmp_path / "errors").write_text(output, encoding="utf-8")
    show = "map(filter(getqflist(), 'v:val.valid'), 'bufname(v:val.bufnr) .. v:val.text .. "
    show += 'v:val.lnum .. "," .. v:val.col\')'
    script = f"cgetfile errors\ncall writefile({show}, 'found')\nqall!\n"
    (tmp_path / "script.vim").write_text(script)
    ran.command("vim", "-u", "NONE", "-es", "-S", "script.vim", cwd=tmp_path)
    found = (tmp_path / "found").read_text(encoding="utf-8").splitlines()
    expected = problems("grade the open step", output)
    assert len(found) == len(expected)
    for line, (file, number, column, message) in zip(found, expected, strict=True):
        assert line.startswith(file)
        assert message[:40] in line
        assert line.endswith(f"{number},{column}")


def report(*checks: CheckResult, verdict: Verdict = Verdict.FAIL) -> Report:
    return Report("s05", "Title", "steps/step_05.py", verdict, checks)


CHECK = CheckResult("scale", Kind.SOURCE, Status.FAIL, "not scaled", ("one", "two", "three"))


def test_what_has_no_line_stands_at_line_1_and_the_level_says_which_hint() -> None:
    assert as_lines.render(report(CHECK)) == (
        "steps/step_05.py:1:1: not scaled. Hint: one\ns05: 0 of 1 checks passed\n"
    )
    assert "Hint: three\n" in as_lines.render(report(CHECK), {"scale": 5})


def test_a_message_is_one_line_whatever_is_in_it() -> None:
    odd = replace(CHECK, note="a\nb\x1b[31m", hints=("x\n\n  y",), line=3, column=7)
    text = as_lines.render(report(odd))
    assert text.count("\n") == 2
    assert "steps/step_05.py:3:7: not scaled. a; b" in text
    assert "\x1b" not in text


def test_a_file_that_is_no_python_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "step_05.py"
    path.write_text("x = 1\nif x:\n    y = (1,\n")
    (found,) = problems("grade the open step", graded("--file", str(path)).stdout)
    assert found[1:3] == (3, 9)
    assert "never closed" in found[3]


def test_a_fault_of_ours_is_no_problem_of_the_file() -> None:
    text = as_lines.render(report(verdict=Verdict.ERROR))
    assert text == "s05: The grader could not finish.\n"
    assert not problems("grade the open step", text)


def test_watch_says_where_each_report_begins_and_ends(tmp_path: Path) -> None:
    root = tmp_path / "course"
    (root / "steps").mkdir(parents=True)
    for name in ("checks", "gpt2", "solutions", "course.toml"):
        (root / name).symlink_to(course.ROOT / name)
    path = root / "steps/step_05.py"
    path.write_bytes(variants.find("s05/wrong/no_mask").source)
    background = matcher("watch the open step")["background"]
    watching = subprocess.Popen(
        [sys.executable, "-m", "grader", "watch", "s05", "--format", "lines", "--poll"],
        cwd=course.ROOT,
        env={**os.environ, "GRADER_COURSE": str(root), "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert watching.stdout is not None
    try:
        first = until_end(watching, background)
        path.write_bytes(S05.solution.read_bytes())
        second = until_end(watching, background)
    finally:
        watching.send_signal(signal.SIGINT)
        watching.stdout.close()
        watching.wait(90)
    assert len(problems("watch the open step", first)) == 2
    assert problems("watch the open step", second) == []
    assert "31 of 31" in second


def until_end(watching: subprocess.Popen[str], background: dict[str, str]) -> str:
    """The lines of one grading; the first must be the one that begins it."""
    assert watching.stdout is not None
    lines: list[str] = []
    for line in watching.stdout:
        lines.append(line)
        if re.search(background["endsPattern"], line.rstrip("\n")):
            break
    assert re.search(background["beginsPattern"], lines[0].rstrip("\n"))
    return "".join(lines)


def test_the_tasks_are_commands_that_exist(tmp_path: Path) -> None:
    import tomllib

    known = tomllib.loads((course.ROOT / "pixi.toml").read_text(encoding="utf-8"))["tasks"]
    for task in TASKS:
        assert task["command"] == "./pixiw"
        run, name, file, *options = task["args"]
        assert (run, file, options) == ("run", "${fileBasename}", ["--format", "lines"])
        assert name in known
    assert course.find("step_05.py") == S05  # what ${fileBasename} gives
