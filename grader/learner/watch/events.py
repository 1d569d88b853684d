"""Events from threads and from signals, for a loop that waits on descriptors."""

from __future__ import annotations

import os
import queue
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

Event = tuple[str, object]

SIGNALS = {
    signal.SIGWINCH: "resized",
    signal.SIGTSTP: "stopped",
    signal.SIGCONT: "continued",
    signal.SIGINT: "quit",
    signal.SIGTERM: "quit",
    signal.SIGHUP: "quit",
}


class Events:
    """Wakes the loop that waits on ``descriptor``, and keeps the events until they are read."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.descriptor, self._end = os.pipe()
        os.set_blocking(self._end, False)

    def add(self, name: str, value: object = None) -> None:
        """Add an event and wake the loop."""
        self._queue.put((name, value))
        with suppress(BlockingIOError):  # it is already awake
            os.write(self._end, b"!")

    def take(self) -> list[Event]:
        """Return every event since the last call."""
        os.read(self.descriptor, 4096)
        events = []
        while not self._queue.empty():
            events.append(self._queue.get())
        return events

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Turn each signal of ``SIGNALS`` into an event in the block."""

        def handle(number: int, _: FrameType | None) -> None:
            self.add(SIGNALS[signal.Signals(number)])

        before = {number: signal.signal(number, handle) for number in SIGNALS}
        # The kernel may deliver a signal to any thread; the main one must wake up anyway.
        descriptor = signal.set_wakeup_fd(self._end, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(descriptor)
            for number, handler in before.items():
                signal.signal(number, handler)


def stop() -> None:
    """Stop this process as Ctrl-Z does, unless nobody could continue it."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTSTP)
    signal.signal(signal.SIGTSTP, before)
