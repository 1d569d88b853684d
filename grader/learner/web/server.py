"""A uvicorn server that reports its address, and that a signal ends without an error."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

from grader.base.files import Unusable
from grader.learner.web.connection import Connection

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

LOOPBACK = "127.0.0.1"
PATIENCE_S = 2
"""How long a response in progress may take when the server ends."""
MOST_AT_ONCE = 300
"""Concurrent connections. Twenty windows of a desk need forty."""


class Server(uvicorn.Server):
    """A server that a signal ends; ``ending`` is called first, to close open streams."""

    def __init__(self, app: ASGIApp, ending: Callable[[], None], **more: Any) -> None:
        settings: dict[str, Any] = {
            "http": Connection,
            "log_level": "error",
            "access_log": False,
            "server_header": False,
            "proxy_headers": False,
            "lifespan": "off",
            "ws": "none",
            "limit_concurrency": MOST_AT_ONCE,
            "timeout_graceful_shutdown": PATIENCE_S,
        }
        super().__init__(uvicorn.Config(app, **{**settings, **more}))
        self._ending = ending

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Treat Ctrl-C as the usual end, not as an error."""
        loop = asyncio.get_running_loop()

        def end(number: int, frame: FrameType | None) -> None:
            self.should_exit = True
            loop.call_soon_threadsafe(self._ending)

        every = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, end) for number in every}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def listen(port: int | None, usual: int, host: str = LOOPBACK) -> socket.socket:
    """Open a socket at ``port``; without one, at the usual port, or else at any free one.

    Raises:
        Unusable: the requested address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (usual, 0) if port is None else (port,):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
            listening.listen(MOST_AT_ONCE)
        except OSError as problem:
            listening.close()
            refused = problem
        else:
            return listening
    place = f"Port {port}" if host == LOOPBACK else f"{host}, port {port},"
    raise Unusable(f"{place} cannot be used: {refused.strerror}. Choose another --port.", 3)
