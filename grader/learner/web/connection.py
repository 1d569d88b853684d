"""A connection that must ask in time: half a request holds a place for a moment only."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import Transport

REQUEST_S = 20.0
"""How long a request may take to arrive, from its first byte to its last."""
MOST_HALF = 100
"""Connections whose request is not complete. One more closes the oldest of them."""

_half: dict[Connection, asyncio.TimerHandle] = {}


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with a limit on what has not asked for anything yet."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Some bytes, which may complete a request."""
        if self not in _half:
            self._wait()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._waited()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._waited()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close it."""
        self._waited()
        self.transport.close()

    def _wait(self) -> None:
        _half[self] = self.loop.call_later(REQUEST_S, self.give_up)
        if len(_half) > MOST_HALF:
            next(iter(_half)).give_up()

    def _waited(self) -> None:
        timer = _half.pop(self, None)
        if timer is not None:
            timer.cancel()
