"""The loop of ``watch``: handles saves, keys, signals and gradings, and shows the results."""

from __future__ import annotations

import select
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.base import course
from grader.base.files import Unusable
from grader.base.model import Report, Verdict
from grader.learner import attempt, hints, pages, progress
from grader.learner.navigation import following
from grader.learner.reset import reset
from grader.learner.watch import screen
from grader.learner.watch.changes import Changes, must_poll, stamp
from grader.learner.watch.events import Events, stop
from grader.learner.watch.grading import Grading
from grader.report import as_margin, as_text
from grader.report.style import Style, paint
from grader.source import SourceProblem, read_file

if TYPE_CHECKING:
    from grader.base.model import Step
    from grader.learner.attempt import Attempt
    from grader.learner.watch.terminal import Terminal
    from grader.pipeline import Options

SLOW_S = 0.3
"""A grading that takes longer is announced; if that prints a line, only after ``SILENT_S``."""
SILENT_S = 2.0
TICK_S = 1.0
"""How often the displayed time of a long grading is updated."""
HALF_WRITTEN_S = 0.05
"""A file that is missing or empty right after a change is checked again after this time."""


class Watch:
    """Watches the learner's file of one step at a time."""

    def __init__(
        self, step: Step, options: Options, terminal: Terminal, style: Style, *, poll: bool | None
    ) -> None:
        self._steps = course.steps(step.root)
        self._step = step
        self._terminal = terminal
        self._style = style
        self._events = Events()
        self._grading = Grading(options, lambda *found: self._events.add("report", found))
        poll = must_poll(step.stub.parent.resolve()) if poll is None else poll
        self._changes = Changes([step.stub], lambda _: self._events.add("saved"), poll=poll)
        self._found: Attempt | None = None
        self._hinted: screen.View | None = None
        self._view = screen.View("")
        self._sure = self._notice = self._clock = ""
        self._number = self._graded = self._shown = 0
        self._data: bytes | str = b""
        self._began = self._took = 0.0
        self._busy = self._slow = False
        self._on = True

    def run(self) -> None:
        """Grade now and on every save, until ``q``, Ctrl-C or a signal ends it."""
        try:
            with self._events.signals():
                self._grade()
                while self._on:
                    self._wait()
        finally:
            self._changes.close()
            self._grading.close()

    def _wait(self) -> None:
        sources = [self._events.descriptor]
        if self._terminal.has_keys:
            sources.append(self._terminal.descriptor)
        ready, _, _ = select.select(sources, [], [], self._patience())
        if not ready:
            if not self._slow and not self._terminal.in_place:
                self._terminal.print("grading ...\n")
            self._slow = True
            self._show()
        if self._events.descriptor in ready:
            for name, value in self._events.take():
                self._handle(name, value)
        if self._terminal.descriptor in ready:
            for key in self._terminal.read():
                self._press(key)

    def _patience(self) -> float | None:
        """Return seconds until the current grading is announced or updated; None without one."""
        if not self._busy:
            return None
        if self._slow:
            return TICK_S
        return SLOW_S if self._terminal.in_place else SILENT_S

    def _handle(self, name: str, value: object) -> None:
        match name, value:
            case "saved", _:
                self._saved()
            case "report", (int() as number, Report() | Exception() as found, bool() as whole):
                if number == self._number and (whole or self._terminal.in_place):
                    self._told(number, found)
            case "stopped", _:
                self._terminal.give_back()
                stop()
                self._again()
            case (("resized" | "continued"), _):
                self._again()
            case "quit", _:
                self._on = False

    def _again(self) -> None:
        """Take the terminal, whose size may have changed, and redraw the screen."""
        self._terminal.take()
        self._style = replace(
            self._style, width=self._terminal.size[0] if self._style.width else None
        )
        if not self._view.back and self._terminal.in_place:
            self._show_report()
        else:
            self._show()

    # ---- grading ---------------------------------------------------------------------------

    def _saved(self) -> None:
        """Grade what was saved, unless its report is already shown."""
        if not (stamp(self._step.stub) or (0, 0))[1]:  # an editor may be halfway through
            time.sleep(HALF_WRITTEN_S)
        if self._read() != self._data:
            self._grade()

    def _read(self) -> bytes | str:
        """Return the file's content, or why it cannot be read."""
        try:
            return read_file(self._step.stub)
        except SourceProblem as problem:
            return problem.message

    def _grade(self) -> None:
        self._data = self._read()
        self._busy, self._slow = True, False
        self._began = time.monotonic()
        self._number = self._grading.order(self._step)

    def _take(self, found: Report | Exception) -> None:
        """Show the result of a grading, then count it."""
        self._busy = self._slow = False
        self._graded += 1
        self._took = time.monotonic() - self._began
        self._clock = time.strftime("%H:%M:%S")
        if isinstance(found, Exception):
            self._found = None
            self._page(f"The grader failed: {found}\nThis is not your mistake. Save again.\n")
            return
        self._found = attempt.noted(self._step, found)
        self._show_report()

    def _told(self, number: int, found: Report | Exception) -> None:
        """Show a grading or its explanation, unless another page is shown."""
        if number != self._shown or self._found is None or isinstance(found, Exception):
            self._shown = number
            self._take(found)
            return
        before, self._found = self._found.report, replace(self._found, report=found)
        if self._view is self._hinted:
            self._show_hint()
        elif not self._view.back and found.explanation != before.explanation:
            self._show_report()

    # ---- keys ------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        sure, self._sure, self._notice = self._sure, "", ""
        match key.lower():
            case "q":
                self._on = False
            case "up" | "down":
                page = max(1, self._terminal.size[1] - 6)
                self._scroll(page if key == "down" else -page)
            case "h":
                self._hint()
            case "n" | "p":
                self._move(1 if key.lower() == "n" else -1)
            case "t":
                self._trace()
            case "l":
                known = progress.read(self._step.root)[0]
                self._page(pages.list_page(self._steps, known, self._style, self._step))
            case "s":
                self._solution(sure)
            case "r":
                self._reset(sure)
            case _:
                self._show_report()

    def _hint(self) -> None:
        if self._found is not None:
            self._found = attempt.one_more_hint(self._step, self._found)
            self._show_hint()

    def _show_hint(self) -> None:
        if self._found is not None:
            self._page(pages.hint_page(self._step, self._found, self._style, keys=True))
            self._hinted = self._view

    def _trace(self) -> None:
        """Show what each line of the file computes, and where the values diverge."""
        report = self._grading.followed(self._step)
        if report.trace is None or isinstance(data := self._read(), str):
            self._page("Nothing can be followed yet. Fix what the report shows first.\n")
        else:
            source = data.decode("utf-8", "replace")
            self._page(as_margin.text(source, report.trace, self._style))

    def _move(self, by: int) -> None:
        there = following(self._step, self._steps, progress.read(self._step.root)[0], by)
        if there is None:
            self._page(f"There is no step {'after' if by > 0 else 'before'} this one.\n")
            return
        self._step = there
        self._found = None
        self._changes.watch([self._step.stub])
        self._grading.drop()
        self._page(f"Step {self._step.number}: {self._step.title}\n")
        self._grade()

    def _solution(self, sure: str) -> None:
        known = progress.read(self._step.root)[0].get(self._step.id, progress.UNTOUCHED)
        if known.passed or sure == "s":
            self._page(pages.solution_page(self._step))
        else:
            self._sure = "s"
            self._page(
                "This step is not passed yet. h gives a hint.\n"
                "Press s again to see the reference anyway.\n"
            )

    def _reset(self, sure: str) -> None:
        if sure != "r":
            self._sure = "r"
            self._page("Press r again to start this step over. A copy of your file is kept.\n")
            return
        try:
            said = reset(self._step)
        except Unusable as problem:
            said = f"{problem}\n"
        self._notice = said  # the grading that follows shows it too
        self._page(said)

    # ---- showing ---------------------------------------------------------------------------

    def _show_report(self) -> None:
        if self._found is None:
            self._show()
            return
        report = self._found.report
        after = pages.after_error() if report.verdict is Verdict.ERROR else ""
        if report.verdict is Verdict.PASS:
            keys = self._terminal.has_keys
            after = pages.after_pass(self._step, self._steps, self._found, self._style, keys=keys)
        around = (self._notice, after, self._found.note)
        text = self._report(report, sum(self._height(part) + 1 for part in around if part))
        parts = (self._notice, text, after, self._found.note)
        self._page("\n".join(part for part in parts if part), back=False)

    def _report(self, report: Report, taken: int) -> str:
        """Return the report; short if it does not fit beside ``taken`` lines, or is read aloud."""
        levels = hints.shown(self._found.known) if self._found else {}
        if self._style.words:  # nobody wants to hear every check that passes
            return screen.report_text(report, self._style, levels, 0)
        if not self._terminal.in_place:
            return as_text.render(report, self._style, levels=levels)
        return screen.report_text(report, self._style, levels, self._terminal.size[1] - 3 - taken)

    def _height(self, text: str) -> int:
        return len(paint(text, self._style).splitlines())

    def _page(self, text: str, *, back: bool = True) -> None:
        """Show ``text`` from the start; ``back``: it is a page other than the report."""
        self._view = screen.View(self._style.text(text), back=back)
        self._show(new=True)

    def _scroll(self, by: int) -> None:
        self._view = replace(self._view, offset=self._view.offset + by)
        self._show()

    def _show(self, *, new: bool = False) -> None:
        """Draw the screen; without a screen, print what is new."""
        if self._terminal.in_place:
            lines, offset = screen.frame(
                self._header(), self._view, self._style, self._terminal.size[1]
            )
            self._view = replace(self._view, offset=offset)
            self._terminal.draw(lines)
        elif new:
            keys = "\n".join(screen.footer(self._style, back=self._view.back)) + "\n"
            text = paint(self._view.text, self._style)
            self._terminal.print(f"{text}\n{keys if self._terminal.has_keys else ''}")

    def _header(self) -> list[str]:
        """Return the parts of the first line, the least important last."""
        name = self._step.stub.relative_to(self._step.root).as_posix()
        if self._slow:
            since = round(time.monotonic() - self._began)
            return [f"{name}: grading ...{f' {since} s' if since else ''}"]
        if self._busy or not self._graded:
            return [name]
        return [f"{name}: report {self._graded}", self._clock, f"{self._took:.2f} s"]
