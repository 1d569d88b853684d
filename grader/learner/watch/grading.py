"""Grades in its own thread, so that keys and new saves are handled meanwhile."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from grader import frameworks, sandbox
from grader.learner.watch.split import SplitRun

if TYPE_CHECKING:
    from grader.base.model import Report, Step
    from grader.pipeline import Options
    from grader.report.figures.heads import Shown
    from grader.rubric.exhibit import Exhibit

WORKERS = 2
"""One for each half of one grading."""
PATIENCE_S = 5.0


class Grading:
    """Grades one file at a time; a new order for a step cancels the previous one.

    ``tell`` is called in the thread, with the order's number, its report or error, and whether
    that is final: if a program is traced, its report is first sent without the trace.
    """

    def __init__(
        self,
        options: Options,
        tell: Callable[[int, Report | Exception, bool], None],
        workers: int = WORKERS,
    ) -> None:
        import_all()
        self._options = options
        self._tell = tell
        self._orders: queue.SimpleQueue[tuple[int, Step] | None] = queue.SimpleQueue()
        self._count = 0
        self._latest: dict[str, int] = {}
        self._under_way: tuple[int, str] = 0, ""
        self._lock = threading.Lock()
        self._running: SplitRun | None = None
        self._pool = sandbox.WorkerPool(workers, engine=options.engine)
        self._thread = threading.Thread(target=self._run, name="grading", daemon=True)
        self._thread.start()

    def order(self, step: Step) -> int:
        """Grade the learner's file of ``step`` as it is now; return the order's number."""
        with self._lock:
            self._count += 1
            self._latest[step.id] = self._count
            self._abandon_if_stale()
            self._orders.put((self._count, step))
            return self._count

    def drop(self) -> None:
        """Cancel the current grading and those that wait."""
        with self._lock:
            self._latest.clear()
            self._abandon_if_stale()

    def followed(self, step: Step) -> Report:
        """Return the report on the file as it is now, with what each line computed. Blocks."""
        from grader.pipeline import Follow, grade

        options = replace(self._options, follow=Follow.ALWAYS)
        return grade(step, step.stub, options, self._pool.start)

    def drawn(self, step: Step, exhibit: Exhibit) -> Shown:
        """Return what the file does with the exhibit's inputs. Blocks.

        Raises:
            SourceProblem: the file cannot be read, or is not Python.
            RuntimeError: the worker could not start.
        """
        from grader.report.figures.run import draw_program

        engine = self._options.engine
        return draw_program(step, step.stub, exhibit, exhibit.views, engine, self._pool.start)

    def close(self) -> None:
        """End the current grading and every waiting worker."""
        self.drop()
        self._orders.put(None)
        self._thread.join(PATIENCE_S)  # it may be compiling kernels, which nobody waits for
        self._pool.close()

    def _run(self) -> None:
        from grader.grading.inputs import Drawn, draw
        from grader.pipeline import grade
        from grader.rubric import load

        drawn: dict[str, Drawn] = {}
        while (order := self._orders.get()) is not None:
            number, step = order
            with self._lock:
                self._under_way = number, step.id
            if self._stale():
                continue
            found: Report | Exception
            try:
                ready = drawn.pop(step.id, None)
                options = self._options
                found = grade(step, step.stub, options, self._start, drawn=ready, early=self._early)
            except Exception as problem:  # noqa: BLE001 - shown; the next save tries again
                found = problem
            with self._lock:
                self._running = None
            if not self._stale():
                self._tell(number, found, True)
            if self._orders.empty():  # idle: prepare the inputs of the next save now
                drawn[step.id] = draw(load.rubric(step)).calculate()

    def _early(self, found: Report) -> None:
        if not self._stale():
            self._tell(self._under_way[0], found, False)

    def _stale(self) -> bool:
        """Whether a newer order has replaced the current grading."""
        number, step = self._under_way
        return self._latest.get(step) != number

    def _abandon_if_stale(self) -> None:
        if self._running is not None and self._stale():
            self._running.abandon()

    def _start(self, *, engine: str) -> sandbox.Worker:
        running = SplitRun(self._pool.start(engine=engine), self._second)
        with self._lock:
            self._running = running
            self._abandon_if_stale()  # another order may have come while it started
        return running

    def _second(self) -> sandbox.Worker | None:
        """Return a second worker, if one is ready and nothing must be compiled."""
        if self._options.engine not in frameworks.current().compiling and self._pool.ready:
            return self._pool.start(engine=self._options.engine)
        return None


def import_all() -> None:
    """Import in advance what the first save would import."""
    import importlib

    from grader.base import course
    from grader.rubric import load

    for name in (
        "numpy",
        "grader.grading.diagnose",
        "grader.grading.judge",
        "grader.protocol.wire",
        "grader.sandbox.transcript",
    ):
        importlib.import_module(name)
    for step in course.steps():
        load.rubric(step)
