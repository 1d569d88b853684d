"""Workers made ready before their jobs are there. Each is used for one job only."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from grader.sandbox import launch, tiers
from grader.sandbox.limits import Limits
from grader.sandbox.running import Running

if TYPE_CHECKING:
    from types import TracebackType

LOOK_S = 0.05
"""Between two looks at a worker that is starting."""
CHECK_S = 60.0
"""Between two looks at workers that wait."""


class Spares:
    """Keeps ``count`` workers ready and hands them out, each with its layers and limits on.

    A thread starts others in their place while a core is left beside the gradings under way.
    Close it, or use it as a context manager: that ends every worker that was not handed out.
    Where this process is killed, its workers end too.
    """

    def __init__(
        self,
        count: int,
        *,
        engine: str = "numpy",
        warm: bool = True,
        limits: Limits | None = None,
        layers: tuple[str, ...] = tiers.LAYERS,
    ) -> None:
        self._count = count
        self._kind = (engine, limits or Limits(), layers)
        self._warm = warm
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
        running = self._take() if (engine, limits or Limits(), layers) == self._kind else None
        if running is None:
            running = launch.start(engine=engine, limits=limits, layers=layers)
            with self._changed:
                self._busy += 1
        running.call_when_closed(self._given_back)
        return running

    def close(self) -> None:
        """End every worker that was not handed out, and start no more. Safe to call again."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._keeper.join()
        while self._stock:
            self._stock.pop().close()

    def _take(self) -> Running | None:
        """The worker that is furthest, counted as busy; dead ones are dropped."""
        with self._changed:
            if self._closed:
                raise RuntimeError("these spares are closed")
            self._drop_dead()
            if not self._stock:
                return None
            chosen = next((spare for spare in self._stock if spare.ready), self._stock[0])
            self._stock.remove(chosen)
            self._busy += 1
            self._changed.notify_all()
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
        while True:
            with self._changed:
                self._drop_dead()
                starting = sum(not spare.ready for spare in self._stock)
                lacking = len(self._stock) < self._count and time.monotonic() > self._patience
                room = self._busy + starting < max(1, os.cpu_count() or 1)
                if not (lacking and room):
                    self._changed.wait(LOOK_S if starting else CHECK_S)
                if self._closed:
                    return
            if lacking and room and not self._restock():
                return

    def _restock(self) -> bool:
        """Add one worker; False where the machine has no room for it. ``start`` will say so."""
        engine, limits, layers = self._kind
        try:
            spare = launch.start(engine=engine, limits=limits, layers=layers, warm=self._warm)
        except OSError:
            return False
        with self._changed:
            self._stock.append(spare)
        return True
