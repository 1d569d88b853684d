"""The grader's end of a process that forks workers: each in 0.1 s of CPU time, not 0.6 s."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress

from grader.isolation import bubblewrap, children, tiers
from grader.isolation.folder import remove
from grader.isolation.settings import FORK_SERVER
from grader.sandbox import bytecode, environment
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running
from grader.sandbox.spawn import GRADER, Pipes, Spawned, launch, settings

SOCKET = 3
PATIENCE_S = 10.0
"""How long to wait for a process to end by itself. It takes milliseconds."""
AT_ONCE = socket.MSG_PEEK | socket.MSG_DONTWAIT


def fork_servers(count: int, layers: tuple[str, ...] = tiers.LAYERS) -> list[ForkServer]:
    """Start ``count`` processes that fork workers, from one that has imported the framework.

    Raises:
        OSError: if the machine has no process, socket or folder left.
    """
    origin, sockets = _Origin.start(layers, count)
    return [ForkServer(origin, one, f"{number}-") for number, one in enumerate(sockets)]


class ForkServer:
    """A process with the framework that forks a worker for each job, one at a time.

    Its workers use the engine that compiles nothing.

    A worker is as confined as any other, does one job and leaves nothing for the next. Workers of
    fork servers with the same ``origin`` share its layers. Linux only.
    """

    def __init__(self, origin: _Origin, requests: socket.socket, name: str) -> None:
        self._origin = origin
        self._socket = requests
        self._name = name
        self._count = 0
        self._child: Running | None = None
        self._closed = False

    @property
    def folder(self) -> str:
        """The folder that contains its workers' folders."""
        return self._origin.folder

    @property
    def free(self) -> bool:
        """Whether it could fork a worker now: it is alive, and the last worker has ended."""
        return self.idle and self.alive

    @property
    def idle(self) -> bool:
        """Whether the last worker has ended."""
        return self._child is None or self._child.closed

    @property
    def alive(self) -> bool:
        """Whether the process still exists. It sends nothing, so anything readable is its end."""
        try:
            return not self._closed and bool(self._socket.recv(1, AT_ONCE))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def start(self, engine: str, limits: Limits, *, warm: bool) -> Running:
        """Fork a new worker for one job. Close the previous one first.

        Raises:
            OSError: if the process has ended, or the machine has no pipe left.
        """
        if not self.free:
            raise BlockingIOError("one worker at a time")
        self._count += 1
        origin = self._origin
        folder = f"{origin.folder}/{self._name}{self._count}"
        told = "\n".join(settings(engine, limits, origin.layers, folder, warm=warm))
        pipes = Pipes()
        try:
            socket.send_fds(self._socket, [told.encode()], pipes.theirs)
        except BaseException:
            pipes.close()
            raise
        pipes.close_theirs()
        job, messages, output, control, ending = pipes.ours
        spawned = Spawned(
            *(origin.process, folder),
            *(job, messages, output, control, ending),
            inside=origin.inside,
            shared=True,
        )
        self._child = Running(spawned, limits)
        return self._child

    def close(self) -> None:
        """End it and its worker; the last one of its origin removes the folder. Safe to repeat."""
        if self._closed:
            return
        self._closed = True
        if self._child is not None:
            self._child.close()
        self._socket.close()
        self._origin.left()


class _Origin:
    """The process that imports the framework, and the folder of its fork servers."""

    def __init__(self, layers: tuple[str, ...], count: int) -> None:
        self.layers = layers
        self.inside = "bubblewrap" in layers
        self.folder = environment.make_folder(layers)
        self.process = 0
        self._used = count

    @classmethod
    def start(
        cls, layers: tuple[str, ...], count: int
    ) -> tuple[_Origin, tuple[socket.socket, ...]]:
        """Start the process; returns it, and a socket for the requests to each fork server."""
        if sys.platform != "linux":
            raise OSError("only Linux can fork after such an import")
        if "bubblewrap" in layers:
            bubblewrap.attempt()  # it runs while this process imports what it needs
        from grader import frameworks

        _reap()
        bytecode.keep(GRADER, frameworks.current().name)
        origin = cls(tiers.usable(layers), count)
        told = settings("", Limits(), origin.layers, origin.folder, warm=False)
        pairs: list[tuple[socket.socket, socket.socket]] = []
        try:
            kind = socket.AF_UNIX, socket.SOCK_SEQPACKET
            pairs.extend(socket.socketpair(*kind) for _ in range(count))
            places = [(theirs.fileno(), SOCKET + n) for n, (_, theirs) in enumerate(pairs)]
            command = [FORK_SERVER, str(count), *told]
            origin.process = launch(command, origin.layers, origin.folder, places)
        except BaseException:
            for ours, _ in pairs:
                ours.close()
            origin.end()
            raise
        finally:
            for _, theirs in pairs:
                theirs.close()
        return origin, tuple(ours for ours, _ in pairs)

    def left(self) -> None:
        """Count a closed fork server; the last one ends this process."""
        self._used -= 1
        if not self._used:
            self.end()

    def end(self) -> None:
        """Remove the folder, once the process has ended.

        Inside bubblewrap there is nothing to remove, and nobody waits the 40 ms that the kernel
        takes to tear down its namespaces.
        """
        if self.process:
            _ending.append(self.process)
            _reap(wait=not self.inside)
            self.process = 0
        if not self.inside:
            remove(self.folder)


_ending: list[int] = []
"""Processes that end by themselves, because nobody can ask them for a worker any more."""


def _reap(*, wait: bool = False) -> None:
    """Reap those that have ended; with ``wait``, wait for all, and kill them if need be."""
    for process in _ending.copy():
        ended = True
        with suppress(ChildProcessError):
            if wait:
                children.end(process, PATIENCE_S)
            else:
                ended = bool(os.waitpid(process, os.WNOHANG)[0])
        if ended:
            with suppress(ValueError):  # another thread was here
                _ending.remove(process)
