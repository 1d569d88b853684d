"""The messages of one worker so far, checked against the order that the protocol allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

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
"""Notices allowed: far more than one file can cause by compiling kernels or running late."""


class Transcript:
    """Takes the worker's messages one by one; one out of order raises a WireError.

    So does an answer without the token of its question.
    """

    def __init__(self, on_notice: Callable[[str], None] | None = None) -> None:
        self.layers: tuple[str, ...] | None = None
        self.process: int | None = None
        self.problem: str | None = None
        self.taken = False
        self.loaded = False
        self.load_error: SeenError | None = None
        self.observations: dict[str, Observation] = {}
        self.seconds: dict[str, float] = {}
        self.stuck: Stuck | None = None
        self._since = time.monotonic()
        self.notes: tuple[str, ...] = ()
        self.left: tuple[str, ...] = ()
        self.faults: tuple[str, ...] = ()
        self.spent = 0.0
        self.complete = False
        self._lines_left = EXTRA_LINES
        self._job: Job | None = None
        self._tokens: Sequence[int] = ()
        self._on_notice = on_notice

    def give(
        self, job: Job, on_notice: Callable[[str], None] | None, tokens: Sequence[int] = ()
    ) -> None:
        """Let the worker answer ``job`` from now on.

        ``tokens`` are those of the questions: one for each probe, and one for the end. Without
        them, each is 0.
        """
        self._job = job
        self._tokens = tokens or (0,) * (len(job.probes) + 1)
        self._on_notice = on_notice

    def begun_again(self) -> Transcript:
        """Return a transcript for the same worker's next job."""
        found = Transcript()
        found.layers, found.process, found.left = self.layers, self.process, self.left
        return found

    @property
    def turn(self) -> int | None:
        """The index of the question that the worker must answer next; None before the first.

        After the last probe, or if the file cannot be imported, it is that of the end.
        """
        if self._job is None or not self.loaded or self.complete:
            return None
        return len(self._job.probes) if self.load_error else len(self.observations)

    @property
    def under_way(self) -> str | None:
        """The worker's current probe: the first one without an answer."""
        turn = self.turn
        if self._job is None or turn is None or turn == len(self._job.probes):
            return None
        return self._job.probes[turn].name

    def take(self, message: Message) -> None:
        """Record a message.

        Raises:
            WireError: if the worker may not send it now.
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
                self.stuck = None  # it concerned this probe
                self.seconds[message.probe] = time.monotonic() - self._since
            case Done(notes, faults, token, spent) if self._at_end(token):
                self.notes, self.faults, self.spent, self.complete = notes, faults, spent, True
            case _:
                raise WireError(f"{type(message).__name__} out of order")
        self._since = time.monotonic()

    def _expects(self, observation: Observation) -> bool:
        """Whether this answers the current probe, and only what it asks for."""
        turn = self.turn
        if self._job is None or turn is None or observation.probe != self.under_way:
            return False
        if observation.token != self._tokens[turn]:
            return False
        asked = [action.name for action in self._job.probes[turn].actions]
        answered = list(observation.results)
        error = observation.error
        if answered != asked[: len(answered)]:
            return False
        if error is None:
            return len(answered) == len(asked)
        return len(answered) < len(asked) and error.action == asked[len(answered)]

    def _at_end(self, token: int) -> bool:
        if self._job is None or self.turn != len(self._job.probes):
            return False
        return token == self._tokens[-1]
