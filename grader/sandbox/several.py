"""Workers for successive gradings, of which only the first waits for the framework."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from grader.sandbox import launch
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running

if TYPE_CHECKING:
    from grader.sandbox.fork_server import ForkServer

_early: list[ForkServer] = []
"""The fork server that was started before anything asked for a worker, until it is taken."""


@contextmanager
def head_start(wanted: bool) -> Iterator[None]:
    """If ``wanted``, have the framework imported from now on, for :func:`several` in the block.

    What goes wrong here goes wrong there again, and can be reported there.
    """
    with suppress(Exception):
        if wanted and sys.platform == "linux":
            _early.append(_fork_server())
    try:
        yield
    finally:
        while _early:
            _early.pop().close()


def _fork_server() -> ForkServer:
    from grader.sandbox.fork_server import ForkServer

    return ForkServer()


@contextmanager
def several() -> Iterator[Callable[..., Running]]:
    """A function that starts workers like ``sandbox.start``, one at a time, from a fork server.

    If the system has no fork server, each is started from scratch.

    Raises:
        OSError: if the machine has no process, socket or folder left.
    """
    if sys.platform != "linux":
        yield launch.start
        return
    with closing(_early.pop() if _early else _fork_server()) as server:

        def start(*, engine: str, **other: Any) -> Running:
            if other or not server.free:
                return launch.start(engine=engine, **other)
            return server.start(engine, Limits(), warm=False)

        yield start
