"""Workers started before their jobs arrive. Each is used for one job only."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from grader.base.machine import cores
from grader.isolation import tiers
from grader.sandbox import launch
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running
from grader.sandbox.worker import Closing

if TYPE_CHECKING:
    from grader.sandbox.fork_server import ForkServer

LOOK_S = 0.05
"""Seconds between two checks of a starting worker."""
CHECK_S = 60.0
"""Seconds between two checks of waiting workers."""


class WorkerPool(Closing):
    """Keeps ``count`` workers ready and hands them out, each with its layers and limits applied.

    Where possible, they are forked from processes that have imported the framework, each of which
    has one worker at a time (:mod:`grader.sandbox.fork_server`). A thread adds the next ones while
    the current gradings leave a core free. Close the pool, or use it as a context manager, to end
    every process. They also end if this process is killed.

    It takes over existing ``fork_servers`` with its ``layers``, and closes them.
    """

    def __init__(
        self,
        count: int,
        *,
        engine: str = "numpy",
        warm: bool = True,
        limits: Limits | None = None,
        layers: tuple[str, ...] = tiers.LAYERS,
        forked: bool = sys.platform == "linux",
        fork_servers: Iterable[ForkServer] = (),
    ) -> None:
        self._count = count
        self._kind = (engine, limits or Limits(), layers)
        self._warm = warm
        from grader import frameworks

        self._forked = forked and engine not in frameworks.current().compiling
        self._fork_servers = list(fork_servers)
        self._stock: list[Running] = []
        self._busy = 0
        self._patience = 0.0
        self._closed = False
        self._changed = threading.Condition()
        self._keeper = threading.Thread(target=self._keep, name="worker-pool", daemon=True)
        self._keeper.start()

    @property
    def ready(self) -> int:
        """How many workers are waiting for a job right now."""
        with self._changed:
            return sum(worker.ready for worker in self._stock)

    def start(
        self,
        *,
        engine: str = "numpy",
        limits: Limits | None = None,
        layers: tuple[str, ...] = tiers.LAYERS,
    ) -> Running:
        """Return a worker for one job, like ``sandbox.start``: a waiting one of this kind, if any.

        Raises:
            RuntimeError: after :meth:`close`.
            OSError: if the machine has no process, pipe or folder left.
        """
        same = (engine, limits or Limits(), layers) == self._kind
        with self._changed:
            if self._closed:
                raise RuntimeError("this pool is closed")
            running = self._take() if same else None
            if running is None:
                running = launch.start(engine=engine, limits=limits, layers=layers)
            self._busy += 1
            self._changed.notify_all()
        running.call_when_closed(self._given_back)
        return running

    def close(self) -> None:
        """End all workers that were not handed out or were forked. Safe to call again."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._keeper.join()
        while self._stock:
            self._stock.pop().close()
        while self._fork_servers:
            self._fork_servers.pop().close()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop restocking in the block: no thread of the pool imports or runs anything."""
        with self._changed:
            yield

    def _take(self) -> Running | None:
        """Return the worker that is furthest along, or fork one; None if neither is possible."""
        self._drop_dead()
        if not self._stock:
            with suppress(OSError):  # then a new one is started, and reports it
                return self._fork(warm=False) if self._forked else None
            return None
        chosen = next((worker for worker in self._stock if worker.ready), self._stock[0])
        self._stock.remove(chosen)
        return chosen

    def _drop_dead(self) -> None:
        """Remove workers that cannot work. If one could not even start, wait a while."""
        for worker in [worker for worker in self._stock if not worker.usable]:
            if not worker.started:
                self._patience = time.monotonic() + CHECK_S
            self._stock.remove(worker)
            worker.close()

    def _given_back(self) -> None:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()

    # ---- the thread that restocks ---------------------------------------------------------

    def _keep(self) -> None:
        with self._changed:
            while not self._closed:
                self._drop_dead()
                starting = sum(not worker.ready for worker in self._stock)
                lacking = len(self._stock) < self._count and time.monotonic() > self._patience
                room = self._busy + starting < cores()
                if not (lacking and room and self._restock()):
                    self._changed.wait(LOOK_S if starting else CHECK_S)

    def _restock(self) -> bool:
        """Add one worker. Return False if there is no room for it; ``start`` will say why."""
        engine, limits, layers = self._kind
        try:
            if self._forked:
                worker = self._fork(warm=self._warm)
            else:
                worker = launch.start(engine=engine, limits=limits, layers=layers, warm=self._warm)
        except OSError:
            self._patience = time.monotonic() + CHECK_S
            return False
        if worker is not None:
            self._stock.append(worker)
        return worker is not None

    def _fork(self, *, warm: bool) -> Running | None:
        """Return a worker from an idle fork server; None if all are busy."""
        engine, limits, layers = self._kind
        from grader.sandbox.fork_server import fork_servers

        alive = [fork_server for fork_server in self._fork_servers if fork_server.alive]
        for fork_server in self._fork_servers:
            if fork_server not in alive and fork_server.idle:
                fork_server.close()
        self._fork_servers = [one for one in self._fork_servers if one in alive or not one.idle]
        chosen = next((fork_server for fork_server in alive if fork_server.free), None)
        if chosen is None and len(alive) < self._count:
            (chosen,) = fork_servers(1, layers)
            self._fork_servers.append(chosen)
        return chosen.start(engine, limits, warm=warm) if chosen else None
