"""The desk's work: saves, gradings and hints, with the same parts as the terminal's ``watch``.

Call everything in the event loop's thread, except where a docstring says otherwise.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from grader.base.model import Report, Verdict
from grader.learner import attempt, progress
from grader.learner.desk import text, view_model
from grader.learner.watch.changes import Changes, must_poll
from grader.learner.watch.grading import Grading
from grader.rubric import load
from grader.source import SourceProblem

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from grader.base.model import Step
    from grader.learner.attempt import Attempt
    from grader.learner.desk.hub import Hub
    from grader.pipeline import Options

PACE_S = 1.0
"""A newer save cancels a grading only after this long, the next only after twice as long, and so on
until there is a report: a burst of saves gets reports too, even on a slow machine."""
WORKERS = 3
"""Two for a grading, and one for the heads at the same time. Each uses about 250 MB."""
HALF_WRITTEN_S = 0.05
"""A file that is empty or missing right after a change is read again after this time."""


@dataclass
class Place:
    """One step at the desk: what is known about its file.

    ``seen`` is the digest of the file when it was last read. ``number`` is that of the current
    grading, or 0; a newer save cancels it after ``pace`` seconds. ``again``: the file was saved
    meanwhile.
    """

    step: Step
    anchors: Mapping[str, str]
    opened: bool = False
    seen: str = ""
    number: int = 0
    began: float = 0.0
    pace: float = PACE_S
    again: bool = False
    found: Attempt | None = None
    report: view_model.Values | None = None
    figures: view_model.Values | None = None


class Desk:
    """The learner's files, graded at every save, wherever it comes from."""

    def __init__(
        self,
        steps: Sequence[Step],
        anchors: Mapping[str, Mapping[str, str]],
        options: Options,
        hub: Hub,
        *,
        poll: bool | None = None,
    ) -> None:
        """Call this in a running event loop. ``anchors`` has the section ids of each lesson."""
        self._loop = asyncio.get_running_loop()
        self._steps = steps
        self._hub = hub
        self.places = {step.id: Place(step, anchors.get(step.id, {})) for step in steps}
        self._noted: tuple[int, Attempt] | None = None
        self._drawing = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._by_path = {step.stub: self.places[step.id] for step in steps}
        folder = steps[0].stub.parent.resolve()
        poll = must_poll(folder) if poll is None else poll
        self._grading = Grading(options, self._graded, WORKERS)
        self._changes = Changes(self._by_path, self._changed, poll=poll)

    def close(self) -> None:
        """End whatever is running."""
        self._changes.close()
        self._grading.close()

    # ---- the file -----------------------------------------------------------------------------

    def open(self, place: Place) -> view_model.Values:
        """Return all that is known about a step, for a new window; grade it from now on."""
        place.opened = True
        now = text.read(place.step)
        if place.number == 0 and (place.report is None or now.digest != place.seen):
            self._order(place, now.digest)
        return {
            "version": self._hub.version,
            "course": sha256(str(place.step.root).encode("utf-8", "replace")).hexdigest()[:12],
            "title": place.step.title,
            "name": place.step.stub.relative_to(place.step.root).as_posix(),
            "file": {"text": now.text, "digest": now.digest, "problem": now.problem},
            "grading": place.number != 0,
            "report": place.report,
            "figures": place.figures,
            "progress": self.progress(),
        }

    def save(self, place: Place, content: str, base: str, window: str) -> str:
        """Write the file if it is still the version ``base``; return its new digest.

        Raises:
            Conflict, TooLarge, OSError: as :func:`text.write` says.
        """
        written = text.write(place.step, content, base)
        self._saved(place, written.digest, window)
        return written.digest

    def look(self, place: Place) -> None:
        """Grade the file if it has changed."""
        self._saved(place, text.read(place.step).digest, "")

    def _changed(self, path: Path) -> None:
        """Handle a change; called in the thread that watches the files."""
        self._loop.call_soon_threadsafe(self._looked, self._by_path[path], False)

    def _looked(self, place: Place, sure: bool) -> None:
        now = text.read(place.step)
        if sure or now.text:
            self._saved(place, now.digest, "")
        else:  # an editor may be halfway through
            self._loop.call_later(HALF_WRITTEN_S, self._looked, place, True)

    def _saved(self, place: Place, digest: str, window: str) -> None:
        if digest == place.seen:
            return
        if not place.opened:
            place.seen = digest
            return
        self._hub.tell("file", place.step.id, {"digest": digest, "window": window})
        if place.number and time.monotonic() - place.began < place.pace:
            place.seen, place.again = digest, True
        else:
            self._order(place, digest)

    # ---- grading ------------------------------------------------------------------------------

    def _order(self, place: Place, digest: str) -> None:
        place.seen, place.again = digest, False
        place.began = time.monotonic()
        if place.number:
            place.pace *= 2
        place.number = number = self._grading.order(place.step)
        self._hub.tell("grading", place.step.id, {})
        self._loop.call_later(place.pace, self._overdue, place, number)

    def _overdue(self, place: Place, number: int) -> None:
        """Cancel a slow grading if the file was saved since it began."""
        if place.again and place.number == number:
            self._order(place, place.seen)

    def _graded(self, number: int, found: Report | Exception, whole: bool) -> None:
        """Count the attempt and send the result; called in the grader's thread."""
        told: Attempt | Exception
        if isinstance(found, Exception):
            told = found
        elif self._noted is not None and self._noted[0] == number:
            told = replace(self._noted[1], report=found)
        else:
            told = self._noted_one(number, found)
        self._loop.call_soon_threadsafe(self._take, number, told, whole)

    def _noted_one(self, number: int, found: Report) -> Attempt | Exception:
        """Count the attempt. No failure here may end the grader's thread."""
        try:
            told = attempt.noted(self.places[found.step].step, found)
        except Exception as problem:  # noqa: BLE001 - told to the learner
            return problem
        self._noted = number, told
        return told

    def _take(self, number: int, found: Attempt | Exception, whole: bool) -> None:
        place = next((one for one in self.places.values() if one.number == number), None)
        if place is None:
            return
        place.pace = PACE_S
        if whole:
            place.number = 0
        if isinstance(found, Exception):
            self._report(place, view_model.failed(found))
        else:
            first = place.found is None or place.found.known is not found.known
            place.found = found
            self._report(place, self._shown(place, found, whole=whole))
            if first:
                self._hub.tell("progress", "", self.progress())
                self._start(self._draw(place, found.report))
        if place.again:
            self._order(place, place.seen)

    def _shown(self, place: Place, found: Attempt, *, whole: bool) -> view_model.Values:
        try:
            return view_model.report(place.step, self._steps, found, place.anchors, whole=whole)
        except Exception as problem:  # noqa: BLE001 - a page that waits forever says less
            return view_model.failed(problem)

    def _report(self, place: Place, report: view_model.Values) -> None:
        place.report = report
        self._hub.tell("report", place.step.id, report)

    def progress(self) -> list[view_model.Values]:
        """Return every step, and how far it is done."""
        return view_model.progress(self._steps, progress.read(self._steps[0].root)[0])

    # ---- pictures -----------------------------------------------------------------------------

    async def _draw(self, place: Place, report: Report) -> None:
        """Show the heads while the program is still being traced."""
        stopped = report.verdict in (Verdict.ERROR, Verdict.TIMEOUT) or report.problem is not None
        figures = None
        with suppress(Exception):  # the report is complete without figures
            figures = None if stopped else await asyncio.to_thread(self.heads, place, None)
        digest = report.digest
        if place.found is not None and place.found.report.digest == digest:
            place.figures = figures
            self._hub.tell("figures", place.step.id, figures and {"digest": digest, **figures})

    def heads(self, place: Place, words: str | None) -> view_model.Values | None:
        """Return what the learner's heads attend to in ``words`` or the usual text, if any.

        This blocks, and handles one call at a time: call it in another thread.

        Raises:
            NoExhibit: the step cannot show these words; the message says why.
        """
        make = load.exhibit(place.step)
        if make is None:
            return None
        exhibit = make(words)
        with self._drawing:
            try:
                return view_model.figures(self._grading.drawn(place.step, exhibit))
            except (SourceProblem, RuntimeError):  # the report says what is wrong
                return None

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)  # the loop holds only a weak reference
        task.add_done_callback(self._tasks.discard)

    # ---- hints --------------------------------------------------------------------------------

    async def hint(self, place: Place) -> Attempt | None:
        """Return one more hint; None if nothing was graded yet."""
        before = place.found
        if before is None:
            return None
        found = await asyncio.to_thread(attempt.one_more_hint, place.step, before)
        if place.found is before:
            place.found = found
            self._report(place, self._shown(place, found, whole=place.number == 0))
        return found
