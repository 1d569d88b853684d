"""Keeps the worker that graded a program for the jobs that explain it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grader.protocol.probe import Outcome
from grader.sandbox.worker import Closing, Worker, Wrapped


class WarmWorker(Closing):
    """Gives the same worker for one job after the other, as long as each is done.

    That saves a new one its start and its first uses of the framework: half of a small job. What a
    program did to the process stays, as between programs of one job: what must be certain needs a
    worker of its own.
    """

    def __init__(self, start: Callable[..., Worker], worker: Worker | None = None) -> None:
        self._start = start
        self._worker = worker

    def start(self, *, engine: str) -> Worker:
        """The worker that is kept, or a new one, which is kept from now on."""
        if self._worker is None:
            self._worker = self._start(engine=engine)
        return _Lent(self._worker, self.close)

    def fresh(self, *, engine: str) -> Worker:
        """A new worker for one job. The one that was kept is ended first."""
        self.close()
        return self._start(engine=engine)

    def close(self) -> None:
        """End the worker. Safe to call again."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


class _Lent(Wrapped):
    """The worker for one job; ``lost`` is called if there can be no other."""

    def __init__(self, worker: Worker, lost: Callable[[], None]) -> None:
        super().__init__(worker)
        self._lost = lost

    def finish(self, *given: Any, **named: Any) -> Outcome:
        """As the worker does, which is kept, though nobody here knows for what."""
        done = False
        try:
            outcome = super().finish(*given, **named | {"more": True})
            done = outcome.ended == "done"
        finally:
            if not done:
                self._lost()
        return outcome

    def close(self) -> None:
        """Give the worker back."""
