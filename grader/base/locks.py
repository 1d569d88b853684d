"""Locks between processes, waited for within limits."""

from __future__ import annotations

import contextlib
import time

LOOK_S = 0.01


def take(handle: int, seconds: float) -> bool:
    """Lock the open file ``handle`` against other processes, waiting ``seconds`` for them.

    The lock ends with the file. Where there are no locks, as on some network file systems, it is
    taken for granted.

    Returns:
        Whether no other process holds it.
    """
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        limit = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > limit:
                    return False
                time.sleep(LOOK_S)
            else:
                return True
    return True
