"""Ending and reaping child processes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

LOOK_S = 0.001


def end(child: int, patience: float = 0.0) -> int | None:
    """End the process ``child``, after waiting ``patience`` seconds for it to end by itself.

    Returns:
        Its exit status; None if it had to be killed, or was reaped before.
    """
    deadline = time.monotonic() + patience
    with suppress(ChildProcessError):
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= deadline:
                break
            time.sleep(LOOK_S)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return None
