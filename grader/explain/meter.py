"""What explaining a failure takes of the processor."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from grader.protocol.probe import Outcome
from grader.sandbox.worker import Worker, Wrapped


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


class Noted(Wrapped):
    """A worker whose outcomes are noted."""

    def __init__(self, worker: Worker, note: Callable[[Outcome], None]) -> None:
        super().__init__(worker)
        self._note = note

    def finish(self, *given: Any, **named: Any) -> Outcome:
        """As the worker does; its outcome is noted."""
        outcome = super().finish(*given, **named)
        self._note(outcome)
        return outcome
