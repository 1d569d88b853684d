"""Sends events to every open window: the latest of each kind, never a backlog."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

BEAT_S = 15.0
"""Seconds between heartbeats, by which a window and a proxy notice a dead connection."""
AGAIN_MS = 1000
"""Milliseconds until a window that lost the connection tries again."""
MOST = 200
"""The most windows that receive events at the same time."""


class Hub:
    """Numbers and distributes events. Use it from the event loop's thread only."""

    def __init__(self) -> None:
        self.version = 0
        self._listeners: set[Listener] = set()
        self._closed = False

    def tell(self, kind: str, step: str, about: Any) -> None:
        """Send an event to every window; a newer one of the same kind and step replaces it."""
        self.version += 1
        told = {"version": self.version, "kind": kind, "step": step, "about": about}
        for listener in self._listeners:
            listener.add((kind, step), json.dumps(told, ensure_ascii=False))

    async def listen(self) -> AsyncIterator[str]:
        """Yield the events from now on, as a stream of server-sent events."""
        if len(self._listeners) >= MOST:
            return
        listener = Listener()
        self._listeners.add(listener)
        try:
            yield f"retry: {AGAIN_MS}\n\n"
            while not self._closed:
                for event in await listener.take():
                    yield f"data: {event}\n\n"
        finally:
            self._listeners.discard(listener)

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        for listener in self._listeners:
            listener.wake()


class Listener:
    """The events that one window has not received yet."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], str] = {}
        self._changed = asyncio.Event()

    def add(self, key: tuple[str, str], event: str) -> None:
        """Queue an event, replacing one that waits under the same key."""
        self._waiting.pop(key, None)  # the newest goes to the end
        self._waiting[key] = event
        self._changed.set()

    def wake(self) -> None:
        """End the wait in :meth:`take`."""
        self._changed.set()

    async def take(self) -> list[str]:
        """Return the waiting events; a heartbeat if there are none for a while."""
        try:
            await asyncio.wait_for(self._changed.wait(), BEAT_S)
        except TimeoutError:
            return ["{}"]
        self._changed.clear()
        events = list(self._waiting.values())
        self._waiting.clear()
        return events
