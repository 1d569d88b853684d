"""A connection whose client must also read in time what it asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.learner.web import connection

if TYPE_CHECKING:
    import asyncio

READ_S = 30.0
"""How long a client may leave what is sent to it unread, once that is too much to keep."""


class Connection(connection.Connection):
    """Ends a connection that takes nothing any more: closing alone would wait for the client."""

    _unread: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Too much is waiting."""
        super().pause_writing()
        self._unread = self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read some of it."""
        super().resume_writing()
        self._read()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody reads any more."""
        self._read()
        super().connection_lost(exc)

    def _read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
