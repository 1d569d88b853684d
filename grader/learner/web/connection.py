"""A connection that must send its request in time, so that half a request does not hold it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import Transport

REQUEST_S = 20.0
"""How long a request may take from its first byte to its last."""
MOST_HALF = 100
"""Connections with an incomplete request. One more closes the oldest of them."""

_half: dict[Connection, asyncio.TimerHandle] = {}


class Connection(H11Protocol):
    """uvicorn's HTTP/1.1, with a limit on connections without a complete request."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Receive bytes, which may complete a request."""
        if self not in _half:
            self._wait()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._waited()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection: nothing more will come."""
        self._waited()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """Close the connection."""
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
