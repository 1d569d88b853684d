"""What grading asks of a worker, however many processes do its job."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

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
    """Does one job."""

    @abstractmethod
    def finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None = None,
        meanwhile: Iterator[object] | None = None,
    ) -> Outcome:
        """Send the job, ask its questions within the limits, and end the worker.

        ``on_notice`` is called with each line from the worker for whoever waits. ``meanwhile``
        is run to its end, step by step, while the worker starts or does the job.

        Raises:
            RuntimeError: if this worker has already had a job, or is closed.
            grader.protocol.message.WireError: if the job itself cannot be sent.
        """

    @abstractmethod
    def abandon(self) -> None:
        """Have the worker killed. Another thread may call this while ``finish`` waits."""
