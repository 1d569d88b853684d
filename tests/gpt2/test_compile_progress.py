"""What ``gpt2`` shows while MAX compiles: it moves, says how far it is, and what to do instead."""

from __future__ import annotations

import io
import itertools
import re
import threading

from rich.console import Console

from gpt2 import compile_progress


class Written(io.StringIO):
    """What is printed; sets ``enough`` when ``wanted`` has been printed."""

    def __init__(self, wanted: str) -> None:
        super().__init__()
        self.wanted, self.enough = wanted, threading.Event()

    def write(self, text: str) -> int:
        done = super().write(text)
        if self.wanted in self.getvalue():
            self.enough.set()
        return done


def shown(wanted: str, *, terminal: bool, seconds: float, width: int = 120) -> str:
    """What is printed until ``wanted`` is, if every look at the clock is ``seconds`` later."""
    written = Written(wanted)
    notes = Console(
        file=written,
        force_terminal=terminal,
        force_interactive=terminal,
        width=width,
        no_color=True,
        soft_wrap=True,
        highlight=False,
    )
    times = itertools.count(0.0, seconds)
    with compile_progress.compiling(notes, lambda: next(times), every_s=0.01):
        assert written.enough.wait(90)
    return written.getvalue()


def test_the_first_line_says_what_it_does_and_offers_the_other_engine() -> None:
    text = shown("Without --engine max", terminal=False, seconds=1.0)
    assert text.startswith("MAX compiles decode. The first time takes minutes")


def test_a_file_gets_a_line_now_and_then_that_says_how_far_it_is() -> None:
    text = shown("MAX compiles decode: 2 s of CPU time", terminal=False, seconds=1.0)
    assert "MAX compiles decode: 1 s of CPU time, of about 110 the first time\n" in text


def test_a_terminal_gets_a_bar_that_moves() -> None:
    text = shown("90 s of CPU time", terminal=True, seconds=5.0)
    assert "10 s of CPU time, of about 110" in text
    assert "━" in text


def test_a_narrow_terminal_has_it_on_one_line() -> None:
    for seconds, words in (
        (5.0, "MAX compiles decode: 90 of about 110 s"),
        (50.0, "decode: 300 s"),
    ):
        text = shown(words, terminal=True, seconds=seconds, width=40)
        *_, last = re.split(r"\x1b\[[0-9;?]*[A-Za-z]", text.split(words)[0])
        assert len(last + words) <= 40
    for seconds in (0.0, 109.4, 110.0, 99_999.0):
        assert len(compile_progress.in_short(seconds)) < 40


def test_a_terminal_that_cannot_draw_gets_lines_too() -> None:
    written = Written("2 s of CPU time")
    notes = Console(file=written, force_terminal=True, _environ={"TERM": "dumb"})
    times = itertools.count(0.0, 1.0)
    with compile_progress.compiling(notes, lambda: next(times), every_s=0.01):
        assert written.enough.wait(90)
    assert "\x1b" not in written.getvalue()


def test_no_end_is_promised_when_it_takes_longer_than_usual() -> None:
    text = shown("300 s of CPU time", terminal=True, seconds=50.0)
    assert "300 s of CPU time; a larger model takes longer" in text


def test_it_ends_with_the_work_and_lets_its_error_through() -> None:
    written = Written("")
    try:
        with compile_progress.compiling(Console(file=written), every_s=0.001):
            raise ValueError("not compiled")
    except ValueError:
        assert not [one for one in threading.enumerate() if one.name.startswith("tell")]
