"""Keeps asyncio's handler for Ctrl-C out of MAX's way, on Python before 3.13.

MAX realises tensors in ``asyncio.run``, which replaces the handler of
Python's. To set it, ``signal`` there formats the running task, every tensor in it, for an
error that it then drops: 22 s per forward pass. asyncio replaces only Python's own handler, so one
that does the same under another name stays in place.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType


def keep_own_handler() -> None:
    """Have Ctrl-C raise KeyboardInterrupt through a handler that asyncio leaves alone.

    Does nothing if Python does not have this problem, or if the process already has another
    handler or ignores the signal.
    """
    if sys.version_info >= (3, 13):
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # Not the main thread: asyncio sets no handler here either.
            signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.default_int_handler(number, frame)
