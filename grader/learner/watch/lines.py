"""``watch`` for an editor: prints the lines of :mod:`grader.report.as_lines` at each save.

A line precedes them and one follows, so that an editor knows which belong together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.learner import hints
from grader.learner.watch.loop import Watch
from grader.report import as_lines

if TYPE_CHECKING:
    from grader.base.model import Report

BEGIN = "grading {file}"


class LineWatch(Watch):
    """Prints problems instead of pages."""

    def _grade(self) -> None:
        name = self._step.stub.relative_to(self._step.root).as_posix()
        self._terminal.print(f"{BEGIN.format(file=name)}\n")
        super()._grade()

    def _take(self, found: Report | Exception) -> None:
        super()._take(found)
        if isinstance(found, Exception):
            self._terminal.print(f"{self._step.id}: not graded\n")

    def _show_report(self) -> None:
        if self._found is not None:
            levels = hints.shown(self._found.known)
            self._terminal.print(as_lines.render(self._found.report, levels))
