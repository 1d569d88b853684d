"""A limit on how long the grader itself may think about one file."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` in the block once this process has used ``seconds`` of processor.

    The processes that it starts do not count. For the main thread only.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"reading this file took more than {seconds:g} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
