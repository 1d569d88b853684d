"""The grader's ends of a worker's pipes: what goes to the worker, and what comes from it."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from contextlib import suppress

from grader.sandbox.spawn import Spawned

PIECE = 1 << 18


class Channel:
    """Sends a job and reads from the worker, piece by piece, never blocking on a write.

    ``hear`` is called with each piece of the worker's messages. ``output`` holds the first ``most``
    bytes of the worker's output; ``dropped`` counts the rest. When the worker is ``gone``,
    everything it sent has been read, and ``last_words`` is the supervisor's line on how it ended.
    """

    def __init__(self, ends: Spawned, most: int, hear: Callable[[bytes], None]) -> None:
        self.output = bytearray()
        self.dropped = 0
        self.last_words = b""
        self.gone = False
        self._ends = ends
        self._most = most
        self._hear = hear
        self._unsent = memoryview(b"")
        self._poller = select.poll()
        for descriptor in (ends.messages, ends.output, ends.ending):
            self._poller.register(descriptor, select.POLLIN)

    @property
    def sending(self) -> bool:
        """Whether part of the job has not been written yet."""
        return bool(self._unsent)

    def start(self, job: bytes) -> None:
        """Send the job, and have the supervisor start watching memory."""
        self.send(job)
        self.tell(b"s")

    def send(self, frame: bytes) -> None:
        """Queue a frame; it is sent when the pipe has room."""
        self._unsent = memoryview(bytes(self._unsent) + frame)
        self._poller.register(self._ends.job, select.POLLOUT)

    def tell(self, word: bytes) -> None:
        """Send a word to the supervisor, if it is still listening."""
        with suppress(OSError):
            os.write(self._ends.control, word)

    def hang_up(self) -> None:
        """Have the supervisor end everything."""
        os.close(self._ends.control)

    def close(self) -> None:
        """Close the other descriptors, after :meth:`hang_up`."""
        for descriptor in (self._ends.messages, self._ends.output, self._ends.ending):
            os.close(descriptor)
        with suppress(OSError):
            os.close(self._ends.job)

    def turn(self, milliseconds: int) -> bool:
        """Handle what is in the pipes, waiting at most this long; return whether anything was."""
        events = self._poller.poll(milliseconds)
        for descriptor, _ in events:
            if descriptor == self._ends.job:
                self._write()
            elif descriptor == self._ends.ending:
                self._read_ending()
            elif not self.gone:
                self._drain(descriptor)
        return bool(events)

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._ends.job, self._unsent[:PIECE]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._unsent = memoryview(b"")
        if not self._unsent:
            self._poller.unregister(self._ends.job)

    def _read_ending(self) -> None:
        """Read the supervisor's line and, at its end, the worker's last messages."""
        data = self._read(self._ends.ending)
        if data is None:
            return
        self.last_words = (self.last_words + data)[:200]
        if not data:
            self._poller.unregister(self._ends.ending)
            for descriptor in (self._ends.messages, self._ends.output):
                while self._drain(descriptor):
                    pass
            self.gone = True

    def _drain(self, descriptor: int) -> bool:
        """Take one piece from a pipe of the worker; return whether there was one."""
        data = self._read(descriptor)
        if data == b"":
            with suppress(KeyError):
                self._poller.unregister(descriptor)
        if not data:
            return False
        if descriptor == self._ends.output:
            room = max(0, self._most - len(self.output))
            self.output += data[:room]
            self.dropped += len(data[room:])
        else:
            self._hear(data)
        return True

    def _read(self, descriptor: int) -> bytes | None:
        """Read a piece from a pipe; empty at its end, None if there is nothing yet."""
        try:
            return os.read(descriptor, PIECE)
        except BlockingIOError:
            return None
