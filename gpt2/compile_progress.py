"""What is shown while MAX compiles: how far it is, and what to do instead of waiting.

MAX reports nothing while it compiles. What grows with its work is the CPU time of this process,
also on a machine that does other things. So that is the progress.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Column

WHAT = "MAX compiles decode"
ADVICE = (
    "The first time takes minutes; MAX keeps the result. "
    "Without --engine max, the text begins at once: press Ctrl-C and run it again without."
)

FIRST_S = 110.0
"""CPU seconds that the small GPT-2 takes the first time; measured on two cores."""

WIDE = 110
"""From this many columns there is room for a bar and a sentence."""

EVERY_S = 20.0
"""Seconds between two lines where no terminal shows a bar."""

Clock = Callable[[], float]


@contextmanager
def compiling(
    notes: Console, clock: Clock = time.process_time, every_s: float = EVERY_S
) -> Iterator[None]:
    """Show how long the body computes, by ``clock`` (CPU seconds of all threads)."""
    started = clock()
    notes.print(f"{WHAT}. {ADVICE}")

    def spent() -> float:
        return clock() - started

    with _bar(notes, spent) if notes.is_interactive else _lines(notes, spent, every_s):
        yield


def so_far(seconds: float) -> str:
    """How far it is, in words. Beyond the usual time no end is promised."""
    if seconds < FIRST_S:
        return f"{seconds:.0f} s of CPU time, of about {FIRST_S:.0f} the first time"
    return f"{seconds:.0f} s of CPU time; a larger model takes longer"


def in_short(seconds: float) -> str:
    """The same for a narrow terminal, at most 36 columns."""
    usual = f" of about {FIRST_S:.0f} s" if seconds < FIRST_S else " s"
    return f"{WHAT}: {seconds:.0f}{usual}"


class _Bar(ProgressColumn):
    """A bar that is full after the usual time, and moves to and fro from then on."""

    def __init__(self, spent: Clock) -> None:
        super().__init__()
        self._spent = spent

    def render(self, task: Task) -> ProgressBar:
        """The bar at this moment."""
        seconds = self._spent()
        usual = seconds < FIRST_S
        return ProgressBar(FIRST_S if usual else None, seconds, width=24, pulse=not usual)


class _SoFar(ProgressColumn):
    """The same in words, which ``told`` finds."""

    def __init__(self, spent: Clock, told: Callable[[float], str]) -> None:
        super().__init__(Column(no_wrap=True))
        self._spent, self._told = spent, told

    def render(self, task: Task) -> str:
        """The words of this moment."""
        return self._told(self._spent())


@contextmanager
def _bar(notes: Console, spent: Clock) -> Iterator[None]:
    columns: tuple[ProgressColumn, ...] = (_SoFar(spent, in_short),)
    if notes.width >= WIDE:
        said = _SoFar(spent, so_far)
        columns = (TextColumn(WHAT), _Bar(spent), said, TimeElapsedColumn())
    with Progress(*columns, console=notes, transient=True, refresh_per_second=4) as progress:
        progress.add_task(WHAT, total=None)
        notes.show_cursor(True)  # nobody restores it after Ctrl-C
        yield


@contextmanager
def _lines(notes: Console, spent: Clock, every_s: float) -> Iterator[None]:
    done = threading.Event()

    def tell() -> None:
        while not done.wait(every_s):
            notes.print(f"{WHAT}: {so_far(spent())}")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
