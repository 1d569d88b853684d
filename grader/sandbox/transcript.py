"""What one worker has said so far, held to the order in which it may say it."""

from __future__ import annotations

from collections.abc import Callable

from grader.protocol.message import (
    Broken,
    Done,
    Hello,
    Loaded,
    Message,
    Notice,
    Stuck,
    Taken,
    WireError,
)
from grader.protocol.probe import Job, Observation, SeenError

EXTRA_LINES = 100
"""Far more notices than one file can cause by compiling kernels or running out of time."""


class Transcript:
    """Takes the worker's messages one by one. A message out of order is a WireError."""

    def __init__(self, on_notice: Callable[[str], None] | None = None) -> None:
        self.layers: tuple[str, ...] | None = None
        self.process: int | None = None
        self.problem: str | None = None
        self.taken = False
        self.loaded = False
        self.load_error: SeenError | None = None
        self.observations: dict[str, Observation] = {}
        self.stuck: Stuck | None = None
        self.notes: tuple[str, ...] = ()
        self.left: tuple[str, ...] = ()
        self.faults: tuple[str, ...] = ()
        self.complete = False
        self._lines_left = EXTRA_LINES
        self._job: Job | None = None
        self._on_notice = on_notice

    def give(self, job: Job, on_notice: Callable[[str], None] | None) -> None:
        """From now on the worker may answer ``job``."""
        self._job = job
        self._on_notice = on_notice

    @property
    def under_way(self) -> str | None:
        """The worker's current probe: the first without an answer."""
        if self._job is None or not self.loaded or self.load_error or self.complete:
            return None
        count = len(self.observations)
        return self._job.probes[count].name if count < len(self._job.probes) else None

    def take(self, message: Message) -> None:
        """Note what the worker says.

        Raises:
            WireError: if it may not say that now.
        """
        match message:
            case Hello() if self.layers is None and self.problem is None:
                self.layers, self.process = message.layers, message.process
                self.left = message.left
            case Broken(problem) if self.layers is None:
                self.problem = problem
            case Notice(text) if self._lines_left > 0:
                self._lines_left -= 1
                if self._on_notice is not None:
                    self._on_notice(text)
            case Stuck() if self._lines_left > 0:
                self._lines_left -= 1
                self.stuck = message
            case Taken() if self._job is not None and not self.taken:
                self.taken = True
            case Loaded(error) if self.taken and not self.loaded:
                self.loaded, self.load_error = True, error
            case Observation() if self._expects(message):
                self.observations[message.probe] = message
            case Done(notes, faults) if self._at_end():
                self.notes, self.faults, self.complete = notes, faults, True
            case _:
                raise WireError(f"{type(message).__name__} out of order")

    def _expects(self, observation: Observation) -> bool:
        """Whether this answers the current probe, and only what it asks for."""
        if self._job is None or observation.probe != self.under_way:
            return False
        asked = [action.name for action in self._job.probes[len(self.observations)].actions]
        answered = list(observation.results)
        error = observation.error
        if answered != asked[: len(answered)]:
            return False
        if error is None:
            return len(answered) == len(asked)
        return len(answered) < len(asked) and error.action == asked[len(answered)]

    def _at_end(self) -> bool:
        return self.loaded and not self.complete and self.under_way is None
