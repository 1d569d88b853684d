"""The learner's commands, from the outside: hints, the way through the course, starting again.

Longer than 300 lines, because one copy of the course serves all commands.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any

import pexpect
import pytest

from grader.base import course
from grader.base.model import Step
from grader.learner import lesson, navigation, progress
from grader.learner.explain import explain_page
from grader.learner.watch.changes import stamp
from grader.rubric import load
from tests import ran
from tests.marks import sampled
from tests.own_course import Course, begin_again, copy_course
from tests.worker_jobs import BEGUN, begun, until

pytestmark = pytest.mark.any_python
STEPS = course.steps()
each_step = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course in which nothing was done; for tests that change nothing."""
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def own(copied: Course) -> Course:
    return begin_again(copied)


def said(done: subprocess.CompletedProcess[str], status: int = 0) -> str:
    """What was printed, where it ended as it should and without a traceback."""
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def hint_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("   Hint:")]


@pytest.mark.whole
def test_attempts_bring_hints_and_the_pass_brings_what_is_next(own: Course) -> None:
    counts = []
    for turn in range(3):
        own.spoil("math.sqrt(", f"math.fabs({turn} + ")
        counts.append(len(hint_lines(said(own.run("grade", "s05"), 1))))
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]
    own.solve()
    text = said(own.run("grade", "s05"))
    asked = dict(lesson.questions(course.find("s05")))
    notice = re.search(r"Check yourself: (.+)\n   The answer: (.+)\n", text)
    assert notice is not None
    assert asked[notice[1]] not in text
    assert notice[2] == 'steps/step_05.md, "Check yourself"'
    assert "Apart from comments and layout, your code is identical to the reference." in text
    assert "Next is step 06" in text
    assert "s05: passed, 31 of 31 checks, 4 attempts" in said(own.run("list", "--plain"))
    assert "Next is step 06" in said(own.run("next"))
    assert "4 attempts" in said(own.run("progress"))


def test_only_what_passes_now_is_listed_as_passed(own: Course) -> None:
    own.solve("01")
    said(own.run("grade", "s1"))
    assert "s01: passed" in said(own.run("list", "--plain"))
    own.file("01").write_text("x = 1\n", encoding="utf-8")
    text = said(own.run("list", "--plain"))
    assert "s01: edited since it passed" in text
    assert "0 of 12 steps passed" in text
    said(own.run("grade", "s01"), 1)
    text = said(own.run("list", "--plain"))
    assert re.search("s01: started, \\d of 10 checks, 2 attempts, next", text)
    assert "0 of 12 steps passed" in text
    assert "Next is step 01" in said(own.run("next"))
    assert "0 of 12 steps passed" in said(own.run("progress"))


def test_the_comparison_leaves_out_what_does_not_matter(own: Course) -> None:
    own.solve()
    text = own.file().read_text(encoding="utf-8")
    text = re.sub(r"  # (each )?\[.*\]$", "", text, flags=re.MULTILINE)
    text = text.replace("tensor.shape[:-1] + [", "tensor.shape[:-1] \\\n            + [")
    first, second = "import math\n", "from max.experimental.nn import Linear, Module\n"
    text = text.replace(first, "").replace(second, f"{first}{second}")
    own.file().write_text(text.replace("Linear, Module", "Module, Linear"), encoding="utf-8")
    assert "your code is identical" in said(own.run("grade", "s05"))
    assert "your code is identical" in said(own.run("solution", "s5"))
    spoilt = text.replace("return self.c_proj(", "return 1.0 * self.c_proj(")
    own.file().write_text(spoilt, encoding="utf-8")
    shown = said(own.run("grade", "s05"))
    assert "differ in 2 lines:\n   -         return 1.0 * self.c_proj(" in shown


@pytest.mark.parametrize(
    "name", ["s05", "s5", "S5", "05", "5", "step_05", "step5", "Step 5", "step_05.py"]
)
def test_a_step_is_found_by_what_people_call_it(name: str) -> None:
    assert course.find(name).id == "s05"


@pytest.mark.parametrize("name", ["", "s", "s0", "s55", "x5", "5.5", "-5", "s²"])
def test_what_is_no_step_is_not_found(name: str) -> None:
    with pytest.raises(course.UnknownStep, match="The steps are s01"):
        course.find(name)


def test_the_untouched_stub_is_no_attempt(own: Course) -> None:
    said(own.run("grade", "s05"), 1)
    assert not own.progress.exists()


def test_the_trace_of_the_untouched_stub_says_that_there_is_nothing_to_follow(
    untouched: Course,
) -> None:
    lines = said(untouched.run("trace", "s05"), 1).splitlines()
    assert lines[0] == "There is nothing to follow yet."
    assert lines[1].startswith("Nothing is written yet")
    assert len(lines) == 4


def test_a_step_is_left_for_later_until_it_passes(own: Course) -> None:
    own.solve("05")
    said(own.run("grade", "s05"))
    text = said(own.run("skip", "s06"))
    assert "Step 06 is left for later." in text
    assert "run skip --undo s06" in text
    assert "Next is step 07" in text
    assert "Next is step 07" in said(own.run("next"))
    assert "s06: left for later: Rotate" in said(own.run("list", "--plain"))
    assert "s07: new, next" in said(own.run("list", "--plain"))
    assert "Next is step 07" in said(own.run("grade", "s05"))
    own.solve("06")
    assert "Next is step 07" in said(own.run("grade", "s06"))
    assert "s06: passed" in said(own.run("list", "--plain"))
    assert "later" not in own.progress.read_text(encoding="utf-8")
    assert "nothing to leave" in own.run("skip", "s06").stderr


def test_a_step_that_was_left_is_taken_up_again(own: Course) -> None:
    said(own.run("skip", "s01"))
    assert "Next is step 02" in said(own.run("next"))
    text = said(own.run("skip", "--undo", "s01"))
    assert text.startswith("Step 01 is no longer left for later.\n")
    assert "Next is step 01" in text


def test_what_was_left_comes_last() -> None:
    steps = course.steps()
    done = progress.StepProgress(of=1, score=1)
    known = {step.id: done for step in steps} | {"s06": progress.StepProgress(later=True)}
    assert navigation.next_step(steps, known) == steps[5]
    assert navigation.following(steps[4], steps, known) == steps[6]
    assert navigation.following(steps[6], steps, known, -1) == steps[4]
    assert navigation.following(steps[11], steps, known) is None


@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker in /proc")
def test_what_is_saved_while_the_file_is_graded_is_not_taken_for_it(own: Course) -> None:
    own.file("01").write_text(f"{BEGUN}\nimport time\ntime.sleep(1)\n", encoding="utf-8")
    command = [sys.executable, "-m", "grader", "grade", "s01"]
    with subprocess.Popen(command, cwd=own.root, env=own.environment()) as grading:
        until(lambda: begun(f"/grader-{grading.pid}-") or grading.poll() is not None)
        own.solve("01")
    assert grading.returncode == 1
    said(own.run("grade", "s01"))
    assert "s01: passed, 10 of 10 checks, 2 attempts" in said(own.run("list", "--plain"))


def test_a_missing_file_is_told_how_it_comes_back(own: Course) -> None:
    own.file("01").unlink()
    text = said(own.run("grade", "s01"), 1)
    assert "There is no file step_01.py\n   Hint: This restores the file" in text
    assert "All 10 checks wait until this is fixed." in text
    assert "restores the file" not in own.run("grade", "s01", "--file", "nowhere.py").stdout


def test_another_file_is_no_attempt(own: Course) -> None:
    said(own.run("grade", "s05", "--file", "solutions/solution_05.py"))
    assert not own.progress.exists()


@pytest.mark.whole
def test_each_hint_that_is_asked_for_says_more(own: Course) -> None:
    first, second, third = (said(own.run("hint", "s05")) for _ in range(3))
    assert len(hint_lines(first)) < len(hint_lines(second)) == len(hint_lines(third))
    assert "explain s05 import-functional" in second
    assert "_attn: attention weights" in said(own.run("hint", "s05", "scale"))
    assert "no check 'nonsense'" in own.run("hint", "s05", "nonsense").stderr


def test_reset_keeps_a_copy_and_solution_shows_the_difference(own: Course) -> None:
    stub = own.file().read_bytes()
    assert "already the stub" in said(own.run("reset", "s05"))
    own.file().write_text("mine = 1\n", encoding="utf-8")
    refused = own.run("solution", "s05")
    assert refused.returncode == 2
    assert "--now" in refused.stderr
    shown = said(own.run("solution", "s05", "--now"))
    assert "- mine = 1" in shown
    assert "+ class GPT2Attention(Module):" in shown
    text = said(own.run("reset", "s05"))
    copy = re.search(r"kept as (\S+)", text)
    assert copy is not None
    assert (own.root / copy[1]).read_text(encoding="utf-8") == "mine = 1\n"
    assert own.file().read_bytes() == stub
    own.file().unlink()
    said(own.run("reset", "s05"))
    assert own.file().read_bytes() == stub


@pytest.mark.parametrize("kind", ["folder", "fifo", "no room for the copy"])
def test_what_cannot_be_reset_stays_as_it_was(kind: str, own: Course) -> None:
    if kind == "folder":
        own.file("01").unlink()
        own.file("01").mkdir()
    elif kind == "fifo":
        own.file("01").unlink()
        os.mkfifo(own.file("01"))
    else:
        own.file("01").write_text("mine = 1\n", encoding="utf-8")
        (own.root / ".grader").mkdir()
        (own.root / ".grader" / "backups").touch()
    before = stamp(own.file("01"))
    done = own.run("reset", "s01")
    said(done, 3 if kind == "no room for the copy" else 2)
    assert "then reset the step" in done.stderr
    assert stamp(own.file("01")) == before


def test_a_damaged_progress_file_costs_a_message(own: Course) -> None:
    own.progress.parent.mkdir()
    own.progress.write_text("{", encoding="utf-8")
    own.file("01").write_text("x = 1\n", encoding="utf-8")
    for command in ("list", "next", "progress"):
        done = own.run(command)
        said(done)
        assert "damaged" in done.stderr
    done = own.run("grade", "s01")
    said(done, 1)
    assert "starts over" in done.stderr
    assert json.loads(own.progress.read_text(encoding="utf-8"))["steps"]["s01"]["attempts"] == 1


@pytest.mark.whole
def test_plain_has_words_and_no_symbols(untouched: Course) -> None:
    for arguments in (("grade", "s01", "--plain"), ("list", "--plain"), ("hint", "s01", "--plain")):
        text = untouched.run(*arguments).stdout
        assert text
        assert not re.search("[\u2500-\u27bf\U0001f300-\U0001faff]|={5}|\x1b", text), text
    text = untouched.run("grade", "s01", GRADER_PLAIN="1").stdout
    assert re.search("^failed: ", text, re.MULTILINE)
    assert re.search("^passed: ", text, re.MULTILINE)


def test_explain_finds_the_check_that_is_meant(untouched: Course) -> None:
    assert '"Scaling"' in said(untouched.run("explain", "s05", "scale"))
    assert '"Scaling"' in said(untouched.run("explain", "scale"))
    listed = said(untouched.run("explain", "s05"))
    assert all(check.id in listed for check in load.rubric(course.find("s05")).checks)
    for wrong in (("s99", "scale"), ("nonsense",), ("s05", "nonsense"), ("s05", "a", "b")):
        assert untouched.run("explain", *wrong).returncode == 2


@each_step
def test_every_check_is_explained_with_a_place_in_the_lesson(step: Step) -> None:
    rubric = load.rubric(step)
    for check in rubric.checks:
        text = explain_page(step, rubric, check)
        assert check.passed in text
        where = f"{step.id} {check.id}: no section {check.lesson!r}"
        assert lesson.section(step, check.lesson), where
        assert f'"{check.lesson}"' in text
        assert check.why in text
        assert "Python session" not in text
        assert not re.search(r"\(\)\.$|, ,|[:(]\.$", text, re.MULTILINE), f"{step.id} {check.id}"


def test_an_explanation_keeps_what_stands_in_code() -> None:
    step = course.find("s02")
    rubric = load.rubric(step)
    check = next(one for one in rubric.checks if one.id == "function")
    assert "causal_mask(sequence_length, num_tokens, *, dtype, device), a" in explain_page(
        step, rubric, check
    )


@each_step
def test_every_lesson_asks_something_and_answers_it(step: Step) -> None:
    asked = lesson.questions(step)
    assert len(asked) >= 2
    assert not any(re.search("[`*]|Answers|>>>", text) for one in asked for text in one)
    text = lesson.section(step, "Check yourself")
    assert len(re.findall(r"(?m)^\d+\. ", text)) == 2 * len(asked)


def test_the_shell_completes_commands_steps_and_checks(untouched: Course) -> None:
    script = said(untouched.run("completion", "bash"))
    ask = """
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _grader_completion grader
    echo "$* -> ${COMPREPLY[*]}"
}
complete_words grader wat
complete_words grader grade s0
complete_words grader hint s05 sca
complete_words grader explain s05 sca
complete_words grader explain s99 sca
"""
    more: dict[str, Any] = {"cwd": "/", **untouched.environment()}
    done = ran.command("bash", "--norc", "-c", script + ask, **more)
    lines = done.stdout.splitlines()
    assert "grader wat -> watch" in lines, done.stdout + done.stderr
    assert "grader grade s0 -> s01 s02 s03 s04 s05 s06 s07 s08 s09" in lines
    assert "grader hint s05 sca -> scale" in lines
    assert "grader explain s05 sca -> scale" in lines
    assert "grader explain s99 sca -> " in lines
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("rows", sampled(3, [24, 200]))
def test_the_last_screen_says_what_to_do(rows: int, untouched: Course) -> None:
    seen = pexpect.spawn(
        sys.executable,
        ["-m", "grader", "grade", "s05"],
        cwd=str(untouched.root),
        env=untouched.environment(TERM="xterm", NO_COLOR="1"),
        dimensions=(rows, 100),
        encoding="utf-8",
        timeout=90,
    )
    seen.expect(pexpect.EOF)
    assert isinstance(seen.before, str)
    end = seen.before.replace("\r", "").splitlines()[-rows:]
    assert any(line.startswith("Nothing is written yet: all ") for line in end)
    assert ("On one screen, on every save" in "".join(end)) == (rows == 24)


@pytest.mark.parametrize(
    ("shell", "begin"),
    [
        ("bash", ["bash", "--norc", "--noprofile", "-i"]),
        ("zsh", ["zsh", "-f", "-i"]),
        ("fish", ["fish", "--no-config", "-i"]),
    ],
)
def test_tab_completes_in_a_real_shell(shell: str, begin: list[str], untouched: Course) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    own = pexpect.spawn(
        begin[0],
        begin[1:],
        cwd=str(untouched.root),
        env=untouched.environment(TERM="xterm", HOME=str(untouched.root)),
        dimensions=(24, 200),
        encoding="utf-8",
        timeout=90,
    )
    (untouched.root / "completion").write_text(said(untouched.run("completion", shell)))
    if shell == "zsh":
        own.sendline("autoload -U compinit; compinit -u -D")
    own.sendline("source ./completion; echo ready | tr a-z A-Z")
    own.expect("READY")
    own.send("grader explain s05 sca\t")
    own.expect("scale")
    own.send("\r")
    own.expect("s05 scale: _attn: attention weights are scaled")
    own.close(force=True)
