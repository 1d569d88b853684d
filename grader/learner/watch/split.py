"""Two workers for one grading: each runs the file on half of the inputs, on its own core."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from grader.base.machine import cores
from grader.sandbox import Worker

if TYPE_CHECKING:
    from grader.protocol.probe import Job, Outcome

FEWEST = 6
"""With fewer probes, the halves would have too little to do, and too few sizes each."""


class SplitRun(Worker):
    """One job in two halves; takes a second worker only if that helps.

    Each worker imports the file and gets every second probe, and so inputs of several sizes.
    """

    def __init__(self, first: Worker, take: Callable[[], Worker | None]) -> None:
        self._workers = [first]
        self._take = take
        self._abandoned = False

    def close(self) -> None:
        """End both workers."""
        for worker in self._workers:
            worker.close()

    def abandon(self) -> None:
        """Have the workers killed. Another thread may call this."""
        self._abandoned = True
        for worker in self._workers:
            worker.abandon()

    def finish(
        self,
        job: Job,
        on_notice: Callable[[str], None] | None = None,
        meanwhile: Iterator[object] | None = None,
        *,
        more: bool = False,
    ) -> Outcome:
        """Send the job, or half of it to each worker, and wait. More jobs go to the first."""
        first = self._workers[0]
        split = len(job.probes) >= FEWEST and cores() > 1 and len(self._workers) == 1
        second = self._take() if split else None
        if second is None:
            return first.finish(job, on_notice, meanwhile, more=more)
        self._workers.append(second)
        if self._abandoned:
            second.abandon()
        found: list[Outcome | Exception] = []

        def other() -> None:
            try:
                found.append(second.finish(replace(job, probes=job.probes[1::2])))
            except Exception as problem:  # noqa: BLE001 - raised again below
                found.append(problem)

        thread = threading.Thread(target=other, name="second half", daemon=True)
        thread.start()
        try:
            half = first.finish(
                replace(job, probes=job.probes[0::2]), on_notice, meanwhile, more=more
            )
        finally:
            thread.join()
        if isinstance(found[0], Exception):
            raise found[0]
        return merged(half, found[0])


def merged(first: Outcome, second: Outcome) -> Outcome:
    """Merge the outcomes of two halves: all observations, and the ending of the unfinished one."""
    worse = first if first.ended != "done" else second
    known = [half.isolation for half in (first, second) if half.isolation is not None]
    return replace(
        worse,
        observations={**first.observations, **second.observations},
        load_error=first.load_error or second.load_error,
        output=_joined(first.output, second.output),
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
        left=first.left,
        faults=tuple(dict.fromkeys((*first.faults, *second.faults))),
        isolation=max(known, key=_weakness, default=None),
        spent=first.spent + second.spent,
    )


def _weakness(tier: str) -> int:
    from grader.isolation.tiers import TIERS

    return TIERS.index(tier)


def _joined(first: str, second: str) -> str:
    """Join what both printed; what the file prints on import appears once."""
    ours, theirs = first.splitlines(keepends=True), second.splitlines(keepends=True)
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    return "".join([*ours, *theirs[len(list(alike)) :]])
