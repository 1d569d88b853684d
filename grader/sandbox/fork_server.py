"""The grader's end of a process that forks workers: each in 0.1 s of CPU time, not 0.6 s."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress

from grader.confine import bubblewrap, tiers
from grader.confine.folder import remove
from grader.confine.settings import FORK_SERVER
from grader.sandbox import bytecode, environment
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running
from grader.sandbox.spawn import GRADER, Pipes, Spawned, launch, settings

SOCKET = 3


class ForkServer:
    """Imports the framework once and forks a worker for each job, one at a time.

    A worker is as confined as any other and is used for one job; it leaves nothing for
    the next. Linux only.

    Raises:
        OSError: if the machine has no process, socket or folder left.
    """

    def __init__(self, layers: tuple[str, ...] = tiers.LAYERS) -> None:
        if sys.platform != "linux":
            raise OSError("only Linux can fork after such an import")
        if "bubblewrap" in layers:
            bubblewrap.attempt()  # while this process imports what it needs
        from grader import frameworks

        bytecode.keep(GRADER, frameworks.current().name)
        self._layers = tiers.usable(layers)
        self._inside = "bubblewrap" in self._layers
        self._count = 0
        self._child: Running | None = None
        self._folder = environment.make_folder(self._layers)
        arguments = settings("", Limits(), self._layers, self._folder, warm=False)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            command = [FORK_SERVER, *arguments]
            places = ((theirs.fileno(), SOCKET),)
            self._process = launch(command, self._layers, self._folder, places)
        except BaseException:
            self._socket.close()
            self._remove_folder()
            raise
        finally:
            theirs.close()

    @property
    def free(self) -> bool:
        """Whether it could fork a worker now: it is alive, and the last worker is gone."""
        return self.idle and self.alive

    @property
    def idle(self) -> bool:
        """Whether the last worker is gone."""
        return self._child is None or self._child.closed

    @property
    def alive(self) -> bool:
        """Whether the process still exists."""
        if self._process and os.waitpid(self._process, os.WNOHANG)[0]:
            self._process = 0
        return bool(self._process)

    def start(self, engine: str, limits: Limits, *, warm: bool) -> Running:
        """A new worker for one job. Close the previous one first.

        Raises:
            OSError: if the process has ended, or the machine has no pipe left.
        """
        if not self.free:
            raise BlockingIOError("one worker at a time")
        self._count += 1
        folder = f"{self._folder}/{self._count}"
        told = "\n".join(settings(engine, limits, self._layers, folder, warm=warm))
        pipes = Pipes()
        try:
            socket.send_fds(self._socket, [told.encode()], pipes.theirs)
        except BaseException:
            pipes.close()
            raise
        pipes.close_theirs()
        job, messages, output, control, ending = pipes.ours
        spawned = Spawned(
            self._process, folder, job, messages, output, control, ending, self._inside, shared=True
        )
        self._child = Running(spawned, limits)
        return self._child

    def close(self) -> None:
        """End it and its worker, and remove its folder. Safe to call again."""
        if self._child is not None:
            self._child.close()
        self._socket.close()
        if self._process:
            with suppress(ChildProcessError):
                os.waitpid(self._process, 0)
            self._process = 0
        self._remove_folder()

    def _remove_folder(self) -> None:
        if not self._inside:
            remove(self._folder)
