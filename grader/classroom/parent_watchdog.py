"""Ends a process of the pool when its parent ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait


def begin() -> None:
    """Prepare a process of ours.

    It ignores Ctrl-C, which the process with the terminal handles, and ends with that process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """Wait until the parent has ended: a pool's process would await its next task forever."""
    wait([sentinel])
    os._exit(1)
