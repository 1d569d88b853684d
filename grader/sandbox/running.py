"""One worker from its start to its outcome, on the grader's side.

Longer than 300 lines, because all of it shares one state, that of the worker.
"""

# pathlib would cost 10 ms of every start.
# ruff: noqa: PTH112
from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.isolation import children, tiers
from grader.isolation.folder import remove
from grader.sandbox import exit_status
from grader.sandbox.channel import Channel
from grader.sandbox.limits import Limits
from grader.sandbox.spawn import Spawned
from grader.sandbox.worker import Worker

if TYPE_CHECKING:
    from grader.protocol.probe import Job, Outcome, SeenError
    from grader.protocol.wire import Assembler
    from grader.sandbox.transcript import Transcript

GRACE_MS = 15_000
"""How long the supervisor has to end every process."""
TOTAL_LIMIT = 256 << 20
"""Bytes that one worker may send in all."""
COMPILING_S = 60.0
"""Extra seconds for each kernel that the worker announces it compiles."""
END = object()
"""Marks the end of an iterator."""


class Running(Worker):
    """A worker that imports the framework while the grader does other things, used for one program.

    Close it, or use it as a context manager, to end all of its processes and remove its folder.
    """

    def __init__(self, spawned: Spawned, limits: Limits) -> None:
        self._ends = spawned
        self._limits = limits
        self._on_close: Callable[[], None] | None = None
        self._deadline = time.monotonic() + limits.start
        self._began = self._end = self._deadline
        self._channel = Channel(spawned, limits.output, self._listen)
        self._talk: tuple[Transcript, Assembler] | None = None
        self._garbled = ""
        self._received = 0
        self._asked = False
        self._watched = False
        self._questions: list[bytes] = []
        self._posed: int | None = None
        self._patience = limits.compiling
        self._expected = self._announced = False
        self._closed = False
        self._closing = threading.Lock()
        self._listening = threading.RLock()

    @property
    def folder(self) -> str:
        """The worker's private folder, which is in its environment too."""
        return self._ends.folder

    @property
    def closed(self) -> bool:
        """Whether it has been ended."""
        return self._closed

    @property
    def ready(self) -> bool:
        """Whether the worker has imported the framework and awaits its job. Does not block."""
        return self.usable and self.started

    @property
    def started(self) -> bool:
        """Whether the worker ever got as far as awaiting its job. Does not block."""
        self._catch_up()
        return self._conversation()[0].layers is not None

    @property
    def usable(self) -> bool:
        """Whether it can still do a job: its processes and folder still exist. Does not block.

        A fork server makes a worker's folder when it forks the worker, maybe a second later.
        """
        self._catch_up()
        said = self._conversation()[0]
        if self._closed or self._channel.gone or said.problem:
            return False
        return said.layers is None or self._ends.inside or os.path.isdir(self._ends.folder)

    def layers(self) -> tuple[tuple[str, ...], str]:
        """Return the layers that the worker applied, and what kept it from starting. Blocks."""
        transcript, _ = self._conversation()
        while (ended := self._ended()) is None and transcript.layers is None:
            self._channel.turn(int(1000 * self._limits.start))
        return transcript.layers or (), ended[1] if ended else ""

    def call_when_closed(self, call: Callable[[], None]) -> None:
        """Have ``call`` called once when this worker has ended."""
        self._on_close = call

    def finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None = None,
        meanwhile: Iterator[object] | None = None,
        *,
        more: bool = False,
    ) -> Outcome:
        """Send the job, ask its questions within the limits, and end the worker."""
        with self._listening:
            return self._finish(job, on_notice, meanwhile, more=more)

    def _finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None,
        meanwhile: Iterator[object] | None,
        *,
        more: bool,
    ) -> Outcome:
        if self._asked or self._closed:
            raise RuntimeError("this worker was not kept for another job")
        frame = self._prepare(job, on_notice)
        steps = meanwhile or iter(())
        busy, kept, again = True, False, self._watched
        try:
            self._catch_up()
            while True:
                if self._conversation()[0].layers is not None and not self._asked:
                    self._ask(frame)
                soon = again and self._posed is None  # its first question must not be delayed
                if step := busy and not (soon or self._channel.sending):
                    busy = next(steps, END) is not END
                if (ended := self._ended()) is not None:
                    break
                left = max(0.0, self._deadline - time.monotonic())
                self._channel.turn(0 if step else int(1000 * left) + 1)
            kept = more and ended[0] == "done"
        finally:
            if not kept:
                self.close()
        for _ in steps:
            pass
        outcome = self._outcome(*ended)
        if kept:
            self._await_more()
        return outcome

    def _await_more(self) -> None:
        """Get ready for another job."""
        said, assembler = self._conversation()
        self._talk = said.begun_again(), assembler
        self._asked, self._posed, self._received = False, None, 0

    def _prepare(self, job: Job, on_notice: Callable[[str], None] | None) -> bytes:
        """Encode the job without its probes, each of which becomes a question."""
        import secrets
        from dataclasses import replace

        from grader import frameworks
        from grader.protocol import wire
        from grader.protocol.probe import Ask

        tokens = [secrets.randbits(62) for _ in (*job.probes, None)]
        asked = zip(tokens, (*job.probes, None), strict=True)
        self._questions = [wire.encode(Ask(token, probe)) for token, probe in asked]
        transcript = self._conversation()[0]
        transcript.give(job, on_notice, tokens)
        # Known before the program runs, which could claim that part of the engine failed.
        self._expected = job.engine in frameworks.current().compiling or bool(transcript.left)
        if not self._expected:
            unexpected = min(self._limits.unexpected, self._limits.compiling)
            first = self._limits.patient and not self._watched
            self._patience = unexpected if first else 0.0
        return wire.encode(replace(job, probes=()))

    def abandon(self) -> None:
        """Have the worker killed. Another thread may call this while ``finish`` waits."""
        with self._closing:
            if not self._closed:
                self._channel.tell(b"x")

    def close(self) -> None:
        """End every process of this worker and remove its folder. Safe to call again.

        If another thread waits in :meth:`finish`, its job is cancelled first.
        """
        if not self._listening.acquire(blocking=False):
            self.abandon()
            self._listening.acquire()
        try:
            self._close()
        finally:
            self._listening.release()

    def _close(self) -> None:
        with self._closing:
            if self._closed:
                return
            self._closed = True
            self._channel.hang_up()
        try:
            self._await_supervisor()
        finally:
            self._channel.close()
            if not self._ends.inside:
                remove(self._ends.folder)
            if self._on_close is not None:
                self._on_close()

    def _await_supervisor(self) -> None:
        """Wait until the supervisor has ended everything; if it is gone, end what can be ended."""
        limit = time.monotonic() + GRACE_MS / 1000
        while not self._channel.gone and time.monotonic() < limit:
            self._channel.turn(GRACE_MS)
        if not self._channel.gone:
            with suppress(OSError):
                os.kill(self._ends.process, signal.SIGKILL)
        silent = not self._channel.last_words
        group = self._conversation()[0].process if silent and self._talk else None
        if group is not None and not self._ends.inside:  # the supervisor was killed
            _end_group(group)
        if not self._ends.shared:
            children.end(self._ends.process, GRACE_MS / 1000)

    # ---- what is said ---------------------------------------------------------------------

    def _conversation(self) -> tuple[Transcript, Assembler]:
        """Return the protocol's state; created late, because it needs NumPy."""
        if self._talk is None:
            from grader.protocol.wire import Assembler
            from grader.sandbox.transcript import Transcript

            self._talk = Transcript(), Assembler()
        return self._talk

    def _ask(self, frame: bytes) -> None:
        """Send the job. A worker may have waited for hours, so its time starts here."""
        self._asked = True
        if self._watched:  # it has the framework, and its memory limit counts from its first job
            self._deadline = time.monotonic() + self._limits.wall
            self._channel.send(frame)
        else:
            self._deadline = time.monotonic() + self._limits.start
            self._channel.start(frame)
        self._watched = True

    def _catch_up(self) -> None:
        """Read what the worker sent while nobody listened; it has no job yet."""
        while not self._closed and not self._channel.gone and self._channel.turn(0):
            pass

    def _listen(self, data: bytes) -> None:
        from grader.protocol.message import Notice, Taken, WireError
        from grader.protocol.probe import Observation
        from grader.protocol.wire import decode_message

        transcript, assembler = self._conversation()
        self._received += len(data)
        if self._garbled or self._received > TOTAL_LIMIT:
            self._garbled = self._garbled or "more bytes than any answer"
            return
        try:
            for head, body in assembler.feed(data):
                message = decode_message(head, body)
                transcript.take(message)
                if isinstance(message, Taken):
                    self._began = time.monotonic()
                    self._deadline = self._began + self._limits.wall
                    self._end = self._began + self._limits.whole
                elif isinstance(message, Observation):
                    self._deadline = min(time.monotonic() + self._limits.wall, self._end)
                elif isinstance(message, Notice):
                    self._be_patient()
        except WireError as error:
            self._garbled = str(error)
        else:
            self._pose(transcript.turn)

    def _pose(self, turn: int | None) -> None:
        """Send the question whose turn it is, once."""
        if turn is not None and turn != self._posed:
            self._posed = turn
            self._channel.send(self._questions[turn])

    def _be_patient(self) -> None:
        """Give the worker time to compile. It may lie about that, so there is a bound."""
        more = min(COMPILING_S, self._patience)
        self._patience -= more
        self._deadline += more
        self._end += more
        if self._watched and not self._expected:  # before its first job it cannot lie
            self._announced = True
            most = self._limits.wall + min(self._limits.unexpected, self._limits.compiling)
            self._end = min(self._end, self._began + most)
            self._deadline = min(self._deadline, self._end)

    # ---- the end --------------------------------------------------------------------------

    def _ended(self) -> tuple[str, str] | None:
        """Return how it ended, in the words of ``Outcome.ended``, and why; None while it runs."""
        transcript, _ = self._conversation()
        if transcript.complete:
            return "done", ""
        if transcript.problem is not None:
            return "machine", transcript.problem
        if self._garbled:
            return "garbled", self._garbled
        if self._channel.gone and transcript.taken:
            sealed = "seccomp" in (transcript.layers or ())
            last = exit_status.read(self._channel.last_words)
            return exit_status.interpret(last, self._limits, sealed=sealed)
        if self._channel.gone:
            text = self._channel.output.decode("utf-8", "replace")[-2000:]
            return "machine", f"the worker ended before it took its job\n{text}"
        if time.monotonic() < self._deadline:
            return None
        if not transcript.taken:
            return "machine", f"the worker was not ready within {self._limits.start:g} s"
        return "timeout", ""

    def _outcome(self, ended: str, problem: str) -> Outcome:
        from dataclasses import replace

        from grader.base import sanitize
        from grader.protocol.probe import Outcome

        transcript, _ = self._conversation()
        last = exit_status.read(self._channel.last_words)
        stuck = transcript.stuck if ended == "timeout" else None
        late = ended == "timeout" and self._deadline >= self._end
        printed = sanitize.steady(self._channel.output.decode("utf-8", "replace"), self.folder)
        output = sanitize.block(printed, self._limits.output)
        if self._channel.dropped:
            output += f"\n[{self._channel.dropped} more bytes of output]"
        return Outcome(
            ended=ended,
            observations={
                name: replace(one, error=self._steady(one.error))
                for name, one in transcript.observations.items()
            },
            load_error=self._steady(transcript.load_error),
            probe=transcript.under_way,
            status=last.status if ended in ("exit", "killed") else None,
            problem=sanitize.block(problem, 4000),
            line=stuck.line if stuck else None,
            action=stuck.action if stuck else "",
            slow=self._end - self._began if late else 0.0,
            output=output,
            notes=transcript.notes,
            isolation=tiers.name(transcript.layers or ()) if transcript.taken else None,
            left=transcript.left,
            faults=transcript.faults,
            spent=last.cpu_ms / 1000 if self._closed else transcript.spent,
            seconds=transcript.seconds,
            announced=self._announced,
            starved=ended == "timeout" and exit_status.starved(last, self._deadline - self._began),
        )

    def _steady(self, error: SeenError | None) -> SeenError | None:
        """Return the error as another run would report it."""
        from dataclasses import replace

        from grader.base.sanitize import steady

        if error is None:
            return None
        message, chain = (steady(text, self.folder) for text in (error.message, error.chain))
        return replace(error, message=message, chain=chain)


def _end_group(group: int) -> None:
    """Kill a process group and wait a moment until it has ended."""
    with suppress(OSError):
        for _ in range(200):
            os.killpg(group, signal.SIGKILL)
            time.sleep(0.005)
