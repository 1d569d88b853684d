"""Where the work is done: processes of this machine, or a Dask cluster. Both are executors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing.connection import wait


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def local(workers: int) -> Callable[[], Executor]:
    """Makes pools of ``workers`` processes. They start fresh: forking MAX's threads hangs."""
    context = multiprocessing.get_context("spawn")
    return lambda: ProcessPoolExecutor(workers, context, initializer=begin)


def begin() -> None:
    """Ctrl-C is for the process that has the terminal; when that one ends, so does this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """Wait until the parent is gone. A pool's process would wait for its next task for ever."""
    wait([sentinel])
    os._exit(1)


def end_all() -> None:
    """End every process of every pool at once, their workers with them."""
    for process in multiprocessing.active_children():
        process.kill()
    for process in multiprocessing.active_children():
        process.join()
