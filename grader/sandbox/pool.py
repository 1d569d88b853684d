"""Workers made ready before their jobs are there. Each is used for one job only."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.base.machine import cores
from grader.confine import tiers
from grader.sandbox import launch
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running

if TYPE_CHECKING:
    from types import TracebackType

    from grader.sandbox.fork_server import Nursery

LOOK_S = 0.05
"""Between two looks at a worker that is starting."""
CHECK_S = 60.0
"""Between two looks at workers that wait."""


class Spares:
    """Keeps ``count`` workers ready and hands them out, each with its layers and limits on.

    Where the machine can, they are forked from processes that have imported MAX, each of which
    has one worker at a time (:mod:`grader.sandbox.fork_server`). A thread makes the next ones while
    a core is left beside the gradings under way. Close it, or use it as a context manager: that
    ends every process. Where this process is killed, they end too.
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
    ) -> None:
        self._count = count
        self._kind = (engine, limits or Limits(), layers)
        self._warm = warm
        self._forked = forked
        self._nurseries: list[Nursery] = []
        self._stock: list[Running] = []
        self._busy = 0
        self._patience = 0.0
        self._closed = False
        self._changed = threading.Condition()
        self._keeper = threading.Thread(target=self._keep, name="spares", daemon=True)
        self._keeper.start()

    def __enter__(self) -> Spares:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def ready(self) -> int:
        """How many workers wait for a job at this moment."""
        with self._changed:
            return sum(spare.ready for spare in self._stock)

    def start(
        self,
        *,
        engine: str = "numpy",
        limits: Limits | None = None,
        layers: tuple[str, ...] = tiers.LAYERS,
    ) -> Running:
        """A worker for one job, like ``sandbox.start``: a spare where there is one of this kind.

        Raises:
            RuntimeError: after :meth:`close`.
            OSError: if the machine has no process, pipe or folder left.
        """
        same = (engine, limits or Limits(), layers) == self._kind
        with self._changed:
            if self._closed:
                raise RuntimeError("these spares are closed")
            running = self._take() if same else None
            if running is None:
                running = launch.start(engine=engine, limits=limits, layers=layers)
            self._busy += 1
            self._changed.notify_all()
        running.call_when_closed(self._given_back)
        return running

    def close(self) -> None:
        """End what was not handed out, and every forked worker. Safe to call again."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._keeper.join()
        while self._stock:
            self._stock.pop().close()
        while self._nurseries:
            self._nurseries.pop().close()

    def _take(self) -> Running | None:
        """The worker that is furthest, or one that is forked now; None where there is neither."""
        self._drop_dead()
        if not self._stock:
            with suppress(OSError):  # then one is started anew, and tells
                return self._fork(warm=False) if self._forked else None
            return None
        chosen = next((spare for spare in self._stock if spare.ready), self._stock[0])
        self._stock.remove(chosen)
        return chosen

    def _drop_dead(self) -> None:
        """Forget those that cannot work. Where one could not even start, let some time pass."""
        for spare in [spare for spare in self._stock if not spare.usable]:
            if not spare.started:
                self._patience = time.monotonic() + CHECK_S
            self._stock.remove(spare)
            spare.close()

    def _given_back(self) -> None:
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()

    # ---- the thread that restocks ---------------------------------------------------------

    def _keep(self) -> None:
        with self._changed:
            while not self._closed:
                self._drop_dead()
                starting = sum(not spare.ready for spare in self._stock)
                lacking = len(self._stock) < self._count and time.monotonic() > self._patience
                room = self._busy + starting < cores()
                if not (lacking and room and self._restock()):
                    self._changed.wait(LOOK_S if starting else CHECK_S)

    def _restock(self) -> bool:
        """Add one worker. False where there is no room for it; ``start`` will say why."""
        engine, limits, layers = self._kind
        try:
            if self._forked:
                spare = self._fork(warm=self._warm)
            else:
                spare = launch.start(engine=engine, limits=limits, layers=layers, warm=self._warm)
        except OSError:
            self._patience = time.monotonic() + CHECK_S
            return False
        if spare is not None:
            self._stock.append(spare)
        return spare is not None

    def _fork(self, *, warm: bool) -> Running | None:
        """A worker from a nursery that has none at this moment; None where all of them have."""
        engine, limits, layers = self._kind
        from grader.sandbox.fork_server import Nursery

        alive = [nursery for nursery in self._nurseries if nursery.alive]
        for nursery in self._nurseries:
            if nursery not in alive and nursery.idle:
                nursery.close()
        self._nurseries = [one for one in self._nurseries if one in alive or not one.idle]
        chosen = next((nursery for nursery in alive if nursery.free), None)
        if chosen is None and len(alive) < self._count:
            chosen = Nursery(layers)
            self._nurseries.append(chosen)
        return chosen.start(engine, limits, warm=warm) if chosen else None
