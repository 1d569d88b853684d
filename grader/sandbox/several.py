"""Workers for successive gradings, of which only the first waits for the framework."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

from grader.sandbox import launch
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running


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
    from grader.sandbox.fork_server import ForkServer

    with closing(ForkServer()) as server:

        def start(*, engine: str, **other: Any) -> Running:
            if other or not server.free:
                return launch.start(engine=engine, **other)
            return server.start(engine, Limits(), warm=False)

        yield start
