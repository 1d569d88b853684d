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
"""Fork servers that were started before anything asked for a worker, until they are taken."""


@contextmanager
def head_start(count: int) -> Iterator[None]:
    """Start importing the framework for this many concurrent workers in the block.

    Whatever fails here will fail again in the block, and can be reported there.
    """
    with suppress(Exception):
        _early.extend(fork_servers(count))
    try:
        yield
    finally:
        while _early:
            _early.pop().close()


def fork_servers(count: int) -> list[ForkServer]:
    """Return those of the head start, or else ``count`` new ones; none where the system has none.

    One process imports the framework for all of them, and their workers share a namespace, so
    they are for programs of one person.

    Raises:
        OSError: if the machine has no process, socket or folder left.
    """
    if not count or sys.platform != "linux":
        return []
    if not _early:
        from grader.sandbox import fork_server

        return fork_server.fork_servers(count)
    found = _early.copy()
    _early.clear()
    return found


@contextmanager
def preforked() -> Iterator[Callable[..., Running]]:
    """Yield a function that starts workers like ``sandbox.start``, one at a time, by forking.

    If the system has no fork server, each is started from scratch.

    Raises:
        OSError: if the machine has no process, socket or folder left.
    """
    found = fork_servers(1)
    if not found:
        yield launch.start
        return
    from grader import frameworks

    with closing(found[0]) as server:

        def start(*, engine: str, **other: Any) -> Running:
            if other or not server.free or engine in frameworks.current().compiling:
                return launch.start(engine=engine, **other)
            return server.start(engine, Limits(), warm=False)

        yield start
