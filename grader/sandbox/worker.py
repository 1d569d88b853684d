"""The interface of a worker to grading, however many processes do its job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from grader.protocol.probe import Job, Outcome


class Closing(ABC):
    """Something that owns processes, and ends them with its ``with`` block."""

    @abstractmethod
    def close(self) -> None:
        """End every process. Safe to call again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Worker(Closing):
    """Does one job, and further jobs about the same program if it is kept for them."""

    @abstractmethod
    def finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None = None,
        meanwhile: Iterator[object] | None = None,
        *,
        more: bool = False,
    ) -> Outcome:
        """Send the job, ask its questions within the limits, and end the worker.

        ``on_notice`` is called with each line that the worker sends for the waiting user.
        ``meanwhile`` runs to its end, step by step, while the worker starts or does the job. If
        there will be ``more`` jobs, and this one was done, the worker is not ended.

        Raises:
            RuntimeError: if this worker was not kept for another job, or is closed.
            grader.protocol.message.WireError: if the job itself cannot be sent.
        """

    @abstractmethod
    def abandon(self) -> None:
        """Have the worker killed. Another thread may call this while ``finish`` waits."""


class Wrapped(Worker):
    """A worker that delegates its job to another."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def finish(self, *given: Any, **named: Any) -> Outcome:
        """Delegate to the other worker."""
        return self._worker.finish(*given, **named)

    def abandon(self) -> None:
        """Delegate to the other worker."""
        self._worker.abandon()

    def close(self) -> None:
        """Delegate to the other worker."""
        self._worker.close()
