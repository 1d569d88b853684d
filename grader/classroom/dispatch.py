"""Runs tasks on an executor until each has a result, even if processes die meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")

ALONE = 2
"""How often a task suspected of killing a process is tried alone."""


@dataclass
class Done(Generic[K, R]):
    """One finished task: its result, or the error that it ended in."""

    key: K
    result: R | None
    error: BaseException | None = None


@dataclass
class _Work(Generic[K, T]):
    """Waiting tasks, and suspects: those in flight when a process died, to be tried one by one."""

    waiting: Iterator[tuple[K, T]]
    suspects: deque[tuple[K, T]] = field(default_factory=deque)
    tries: dict[K, int] = field(default_factory=dict)


def run(
    tasks: Iterator[tuple[K, T]],
    function: Callable[[T], R],
    executor: Callable[[], Executor],
    at_once: int,
    patience: float,
) -> Iterator[Done[K, R]]:
    """Yield each task's end as it comes. ``at_once`` tasks are in flight, so memory stays flat.

    When a process of the executor dies, a new executor is created. The tasks in flight are then
    tried one by one: whichever kills its process again is the culprit.

    Raises:
        TimeoutError: no task ended for ``patience`` seconds.
    """
    work = _Work(tasks)
    pool = executor()
    under_way: dict[Future[R], tuple[K, T]] = {}
    try:
        while True:
            _fill(work, under_way, pool, function, at_once)
            if not under_way:
                return
            finished, _ = wait(under_way, patience, FIRST_COMPLETED)
            if not finished:
                raise TimeoutError(f"no task ended for {patience:g} s")
            died = yield from _ended(work, under_way, finished)
            if died:
                pool.shutdown(wait=False)
                pool = executor()
    finally:
        pool.shutdown(wait=False)


def _ended(
    work: _Work[K, T], under_way: dict[Future[R], tuple[K, T]], finished: Collection[Future[R]]
) -> Generator[Done[K, R], None, bool]:
    """Yield how the finished tasks ended; return whether a process died: all are suspects then."""
    died = False
    for future in finished:
        key, task = under_way.pop(future)
        error = _error(future)
        if isinstance(error, BrokenExecutor | CancelledError):
            died = True
            yield from _blame(work, key, task, error)
        else:
            yield Done(key, None if error else future.result(), error)
    while died and under_way:
        _, (key, task) = under_way.popitem()
        yield from _blame(work, key, task, None)
    return died


def _fill(
    work: _Work[K, T],
    under_way: dict[Future[R], tuple[K, T]],
    pool: Executor,
    function: Callable[[T], R],
    at_once: int,
) -> None:
    """Submit as many tasks as there is room for; a suspect only when no other is in flight."""
    while not work.suspects and len(under_way) < at_once:
        following = next(work.waiting, None)
        if following is None:
            return
        _submit(following, under_way, pool, function, work)
    if work.suspects and not under_way:
        _submit(work.suspects.popleft(), under_way, pool, function, work)


def _submit(
    item: tuple[K, T],
    under_way: dict[Future[R], tuple[K, T]],
    pool: Executor,
    function: Callable[[T], R],
    work: _Work[K, T],
) -> None:
    try:
        under_way[pool.submit(function, item[1])] = item
    except BrokenExecutor as error:
        broken: Future[R] = Future()
        broken.set_exception(error)
        under_way[broken] = item


def _error(future: Future[R]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _blame(work: _Work[K, T], key: K, task: T, error: BaseException | None) -> Iterator[Done[K, R]]:
    """Retry a task alone; give up if it was alone every time."""
    work.tries[key] = work.tries.get(key, 0) + 1
    if work.tries[key] > ALONE:
        yield Done(key, None, error or BrokenExecutor("a process ended"))
    else:
        work.suspects.append((key, task))
