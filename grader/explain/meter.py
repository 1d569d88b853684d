"""What explaining a failure takes of the processor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from grader.protocol.probe import Job, Outcome
from grader.sandbox import Worker


class Meter:
    """Counts the processor time of this thread, and of the workers that it starts from now on.

    ``fresh`` starts a worker that has done nothing before; without it, ``start`` does. ``before``
    was spent on the same already. ``runs`` is how often a worker ran something.
    """

    def __init__(
        self,
        start: Callable[..., Worker],
        fresh: Callable[..., Worker] | None = None,
        before: float = 0.0,
    ) -> None:
        self._start = start
        self._fresh = fresh or start
        self._began = time.thread_time() - before
        self._workers = 0.0
        self.runs = 0

    def start(self, *, engine: str) -> Worker:
        """A worker whose time counts."""
        return Noted(self._start(engine=engine), self._count)

    def fresh(self, *, engine: str) -> Worker:
        """The same, and it has done nothing before."""
        return Noted(self._fresh(engine=engine), self._count)

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.thread_time() - self._began + self._workers

    def _count(self, outcome: Outcome) -> None:
        self._workers += outcome.spent
        self.runs += 1


class Noted(Worker):
    """A worker whose outcomes are noted."""

    def __init__(self, worker: Worker, note: Callable[[Outcome], None]) -> None:
        self._worker = worker
        self._note = note

    def finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None = None,
        meanwhile: Iterator[object] | None = None,
        *,
        more: bool = False,
    ) -> Outcome:
        """As the worker does; its outcome is noted."""
        outcome = self._worker.finish(job, on_notice, meanwhile, more=more)
        self._note(outcome)
        return outcome

    def abandon(self) -> None:
        """As the worker does."""
        self._worker.abandon()

    def close(self) -> None:
        """As the worker does."""
        self._worker.close()
