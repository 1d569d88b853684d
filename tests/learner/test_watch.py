"""``watch`` in a real terminal: each key, hard endings, and no terminal at all.

Longer than 300 lines, because one terminal serves all its tests.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator

import pexpect
import pytest

from tests.own_course import Course, begin_again

pytestmark = pytest.mark.any_python  # terminals, signals and files that change are the system's
KEYS = r"q quit"
PATIENCE_S = 90
"""On a busy machine a report may take half a minute."""
CAUGHT = (signal.SIGTERM, signal.SIGHUP)
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def own(copied: Course) -> Course:
    return begin_again(copied)


class Screen:
    """A watch in a terminal of its own."""

    def __init__(self, own: Course, *arguments: str, size: tuple[int, int] = (40, 100)) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "grader", "watch", *arguments],
            cwd=str(own.root),
            env=own.environment(TERM="xterm", TMPDIR=str(own.root / "tmp")),
            dimensions=size,
            encoding="utf-8",
            timeout=PATIENCE_S,
        )

    def see(self, *patterns: str) -> str:
        """Wait until the patterns have come, in this order; all text until then, no escapes."""
        text = ""
        for pattern in patterns:
            self.child.expect(pattern)
            text += str(self.child.before) + str(self.child.after)
        return ESCAPES.sub("", text.replace("\x1b[H", "\n")).replace("\r", "")

    def press(self, key: str) -> None:
        self.child.send(key)

    def end(self, status: int = 0) -> None:
        self.child.expect(pexpect.EOF)
        self.child.wait()
        assert (self.child.exitstatus, self.child.signalstatus) == (status, None)


@pytest.fixture
def start(own: Course) -> Iterator[Callable[..., Screen]]:
    """Starts watches, and ends those that a failing test leaves."""
    (own.root / "tmp").mkdir()
    screens: list[Screen] = []

    def make(*arguments: str, size: tuple[int, int] = (40, 100)) -> Screen:
        screens.append(Screen(own, *arguments, size=size))
        return screens[-1]

    yield make
    for screen in screens:
        screen.child.close(force=True)
    assert not own.left()


def test_each_key_does_what_the_footer_says(own: Course, start: Callable[..., Screen]) -> None:
    stub = own.file().read_bytes()
    screen = start("s05")
    assert "Add 'from max.experimental import functional as F'" in screen.see("report 1", KEYS)
    screen.press("h")
    assert 'See "MAX operations"' in screen.see("Another hint: press h", KEYS)
    screen.press("l")
    screen.see("0 of 12 steps passed", KEYS)
    screen.press("s")
    screen.see("not passed yet", KEYS)
    screen.press("s")
    screen.see(r"\+ from max.experimental import functional as F", KEYS)
    screen.press("n")
    screen.see("step_06.py: report 2", KEYS)
    screen.press("p")
    screen.see("step_05.py: report 3", KEYS)
    own.solve()
    screen.see("All checks passed", "Next is step 06", KEYS)
    screen.press("t")
    screen.see("import math", KEYS)
    screen.press("r")
    screen.see("Press r again", KEYS)
    assert own.file().read_bytes() != stub
    screen.press("r")
    screen.see("kept as .grader/backups/step_05", "is the stub again", "report 5", KEYS)
    assert own.file().read_bytes() == stub
    screen.press("q")
    screen.end()


@pytest.mark.whole
def test_the_last_hint_is_a_change_that_was_tried(
    own: Course, start: Callable[..., Screen]
) -> None:
    own.spoil("math.sqrt(int(value", "math.sqrt(2 * int(value")
    screen = start("s05")
    screen.see("report 1", KEYS)
    screen.press("h")
    screen.see("Another hint: press h", KEYS)
    screen.press("h")
    screen.see("We tried a change on your file: press h", KEYS)
    screen.press("h")
    screen.see(r"\(tried\):", r"\+ attn_weights = attn_weights / math", KEYS)
    screen.press("q")
    screen.end()


def test_whatever_happens_to_the_file_is_shown(own: Course, start: Callable[..., Screen]) -> None:
    screen = start("s01")
    screen.see("report 1", KEYS)
    own.file("01").write_text("def half_typed(:\n", encoding="utf-8")
    assert "Line 1: def half_typed(:" in screen.see("report 2", KEYS)
    before = own.file("01").stat()
    own.file("01").write_text("def half_typed)(:", encoding="utf-8")
    os.utime(own.file("01"), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "unmatched ')'" in screen.see("report 3", KEYS)
    own.file("01").unlink()
    assert "step_01.py" in screen.see("report 4", KEYS)
    own.file("01").mkdir()
    screen.see("report 5", "is a folder", KEYS)
    own.file("01").rmdir()
    screen.see("report 6", "There is no file", KEYS)
    os.mkfifo(own.file("01"))
    screen.see("report 7", "not a regular file", KEYS)
    saved = own.root / "steps" / ".step_01.py.swp"
    saved.write_text((own.root / "solutions" / "solution_01.py").read_text(encoding="utf-8"))
    saved.rename(own.file("01"))
    screen.see("report 8", "All checks passed", KEYS)
    screen.press("q")
    screen.end()


@pytest.mark.whole
def test_a_save_and_q_do_not_wait_for_a_loop_without_end(
    own: Course, start: Callable[..., Screen]
) -> None:
    screen = start("s01")
    screen.see("report 1", KEYS)
    own.file("01").write_text("while True:\n    pass\n", encoding="utf-8")
    screen.see("grading", KEYS)
    own.solve("01")
    screen.see("All checks passed", KEYS)
    own.file("01").write_text("while True:\n    pass\n", encoding="utf-8")
    screen.see("grading", KEYS)
    screen.press("q")
    screen.end()


@pytest.mark.whole
def test_a_narrow_terminal_and_one_that_changes(own: Course, start: Callable[..., Screen]) -> None:
    screen = start("s05", size=(24, 40))
    text = screen.see("report 1", KEYS)
    assert max(len(line) for line in text.split("\n")) <= 40
    screen.press(" ")
    screen.see("step_05", KEYS)
    screen.child.setwinsize(30, 100)
    text = screen.see("step_05", KEYS)
    assert any(len(line) > 40 for line in text.split("\n"))
    screen.press("q")
    screen.end()


def modes(screen: Screen) -> int:
    """Whether lines are edited and keys shown by the terminal."""
    found: int = termios.tcgetattr(screen.child.child_fd)[3]
    return found & (termios.ICANON | termios.ECHO)


@pytest.mark.whole
def test_after_a_stop_it_takes_the_terminal_again(
    own: Course, start: Callable[..., Screen]
) -> None:
    screen = start("s01")
    screen.see("report 1", KEYS)
    for _ in range(5):  # the signal may come to any thread
        os.kill(screen.child.pid, signal.SIGSTOP)
        usual = termios.tcgetattr(screen.child.child_fd)
        usual[3] |= termios.ICANON | termios.ECHO
        termios.tcsetattr(screen.child.child_fd, termios.TCSANOW, usual)
        os.kill(screen.child.pid, signal.SIGCONT)
        screen.see("report 1", KEYS)
        assert modes(screen) == 0
    screen.press("q")
    screen.end()


@pytest.mark.whole
def test_ctrl_z_gives_the_terminal_back(own: Course) -> None:
    """Typed to a shell, which is what continues a stopped program."""
    (own.root / "tmp").mkdir()
    shell = pexpect.spawn(
        "bash",
        ["--norc", "--noprofile", "-i"],
        cwd=str(own.root),
        env=own.environment(TERM="xterm", PS1="prompt> ", TMPDIR=str(own.root / "tmp")),
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=PATIENCE_S,
    )
    shell.sendline(f"{sys.executable} -m grader watch s01")
    shell.expect("report 1")
    shell.sendcontrol("z")
    shell.expect("Stopped")
    shell.expect("prompt> ")
    shell.sendline("stty -a; fg")
    shell.expect(r"[^-]icanon")
    shell.expect("report 1")
    shell.send("l")
    shell.expect("0 of 12 steps passed")
    shell.send("q")
    shell.expect("prompt> ")  # the watch would read what is typed before it has ended
    shell.sendline("exit $?")
    shell.expect(pexpect.EOF)
    shell.wait()
    assert shell.exitstatus == 0
    assert own.left() == []


@pytest.mark.parametrize(
    "ending", [signal.SIGKILL, *(pytest.param(one, marks=pytest.mark.whole) for one in CAUGHT)]
)
def test_killed_while_it_grades_it_leaves_nothing(
    ending: signal.Signals, own: Course, start: Callable[..., Screen]
) -> None:
    screen = start("s01")
    usual = termios.ICANON | termios.ECHO
    screen.see("report 1", KEYS)
    assert modes(screen) == 0
    own.file("01").write_text("while True:\n    pass\n", encoding="utf-8")
    screen.see("grading", KEYS)
    os.kill(screen.child.pid, ending)
    limit = time.monotonic() + PATIENCE_S
    while modes(screen) != usual and time.monotonic() < limit:
        time.sleep(0.02)
    assert modes(screen) == usual
    assert own.left() == []
    assert not list(own.root.glob("**/.progress*"))


def test_ctrl_c_ends_it_with_the_terminal_as_it_was(
    own: Course, start: Callable[..., Screen]
) -> None:
    screen = start("s01")
    screen.see("report 1", KEYS)
    screen.child.sendintr()
    screen.child.expect(pexpect.EOF)
    screen.child.wait()
    assert screen.child.exitstatus == 0
    assert "Traceback" not in str(screen.child.before)


def test_without_a_terminal_it_prints_plain_reports(own: Course) -> None:
    (own.root / "tmp").mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "grader", "watch", "s01", "--poll"],
        cwd=own.root,
        env=own.environment(TMPDIR=str(own.root / "tmp")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as watch:
        assert watch.stdout is not None
        try:
            lines = iter(watch.stdout.readline, "")
            assert any("Some checks failed" in line for line in lines)
            own.solve("01")
            text = next(line for line in lines if "All checks passed" in line)
            assert "\x1b" not in text
            watch.send_signal(signal.SIGINT)
            assert watch.wait(PATIENCE_S) == 0
            assert "\x1b" not in watch.stdout.read()
        finally:
            watch.kill()
    assert own.left() == []
