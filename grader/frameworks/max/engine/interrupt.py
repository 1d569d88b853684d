"""Keeps asyncio's handler for Ctrl-C out of MAX's way, on Python before 3.13.

MAX realizes tensors in ``asyncio.run``, which replaces Python's own handler. To do so, these
versions format the running task, with every tensor in it, for an error that they then discard:
22 s per forward pass. asyncio replaces only Python's own handler, so another one that does the
same stays in place.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType


def keep_own_handler() -> None:
    """Make Ctrl-C raise KeyboardInterrupt through a handler that asyncio leaves alone.

    This does nothing if Python does not have the problem, or if the process already has another
    handler or ignores the signal.
    """
    if sys.version_info >= (3, 13):
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        with suppress(ValueError):  # Not the main thread: asyncio sets no handler here either.
            signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.default_int_handler(number, frame)
