"""Executors for the work: processes on this machine, or a Dask cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

from grader.base.files import Unusable
from grader.classroom import parent_watchdog, task


def local(workers: int) -> Callable[[], Executor]:
    """Make pools of ``workers`` processes. They are spawned: a fork with threads may hang."""
    context = multiprocessing.get_context("spawn")
    return lambda: ProcessPoolExecutor(workers, context, initializer=parent_watchdog.begin)


def cluster(address: str, fingerprint: str) -> tuple[Callable[[], Executor], int]:
    """Make executors for the Dask cluster at ``address``; also return its number of workers.

    Raises:
        Unusable: it cannot be reached, has no workers, or they have another grader.
    """
    try:
        from distributed import Client
    except ImportError:
        raise Unusable(
            "Dask is not installed. ./pixiw run class includes it; elsewhere install distributed."
        ) from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise Unusable(f"There is no Dask scheduler at {address}: {problem}.") from None
    _check_workers(client, fingerprint)

    def executor() -> Executor:
        if client.status != "running":
            raise Unusable(
                f"The scheduler at {address} is gone. Finished results are kept: start it again, "
                "then the same command resumes.",
                status=3,
            )
        made: Executor = client.get_executor(pure=False)
        return made

    return executor, sum(client.nthreads().values())


def _check_workers(client: Any, fingerprint: str) -> None:
    """Check that every worker can import this same grader."""
    how = "Start each in this version of the course's folder (docs/teaching.md says how)."
    try:
        versions = client.run(task.version, on_error="return")
    except (OSError, TimeoutError, ValueError) as problem:
        raise Unusable(f"The workers do not answer: {problem}. {how}") from None
    if not versions:
        raise Unusable(f"The scheduler has no workers. {how}")
    for worker, found in versions.items():
        if found != fingerprint:
            said = f" ({found})" if isinstance(found, Exception) else ""
            raise Unusable(f"The worker {worker} has another grader{said}. {how}")


def end_all() -> None:
    """End every process of every pool at once, and their workers."""
    for process in multiprocessing.active_children():
        process.kill()
    for process in multiprocessing.active_children():
        process.join()
