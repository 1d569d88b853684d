"""What a report explains of a failure: what was read off the values, and the change that was tried.

A change that was graded says where the mistake is. Without one, the values say where they leave
those of the reference. A guess is not told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from grader.base.blanks import make_stub
from grader.base.model import (
    CheckResult,
    Diagnosis,
    Explanation,
    Framed,
    Margin,
    Replaced,
    Report,
    Status,
    Step,
    Tried,
    Verdict,
)
from grader.explain.raised import own_check, page, raises, said
from grader.explain.state import State
from grader.grading.judge import BUT
from grader.protocol.probe import SeenError
from grader.rubric import Rubric
from grader.source import Finding
from grader.source.ast_cache import of_kind, parsed

WRONG, LACKS = "the numbers go wrong on this line", "something is missing here"
"""What is wrong where a change holds, and no check is about its line."""
TODO = "# TODO"
"""What every blank begins with."""
KEEPS = "{name} keeps something from one call to the next"
FRESH = "In a fresh process the same call is right (tried)."
"""What is said where a wrong call is right by itself."""
SUSPECT = "Something is wrong on its line, {line}."
"""Why a check of the source waits that recognised what it looks for."""
REFUSES = "your own check on line {line} refuses this call"
STRICT = "your own check is too strict"
"""What is wrong where the program raises an error on purpose, and where a change of that helps."""
ORDINARY = re.compile(r"[A-Z][a-z]*(?= )")
"""A word that begins a sentence."""
MARKS = {"right": "right", "left": "wrong"}
"""What a line is marked with, by whether the reference has its value."""


@dataclass(frozen=True)
class Known:
    """What is known of a failing program: its text, its report, a change, and its first error."""

    step: Step
    source: str
    report: Report
    rubric: Rubric
    change: Tried | None
    raised: SeenError | None
    kept: State | None = None
    searched: bool | None = None

    def explained(self) -> Explanation | None:
        """What to fix first; None where nothing fails, or the grader could not finish."""
        first = self.report.first_to_fix
        if first is None or self.report.verdict is Verdict.ERROR:
            return None
        if blanks := self._blanks():
            todo = self.source.partition(TODO)[0].count("\n") + 1
            return Explanation("", todo, lesson=self._lesson(first), blanks=blanks)
        line, after = self._place(first)
        fixed, first = first, self._stopped(first)
        named, own = self._named(line), self._own_check(first)
        cause, unread = self._cause(first, named, own, line), self.report.problem is not None
        lesson = (named.lesson or "") if named else self._lesson(fixed)
        error = self.raised if first.stopped or own or unread else None
        lesson = page(error, self.step.root) or lesson
        return Explanation(
            cause,
            line,
            after,
            tuple(self._frame(line, own, error, after=after)),
            self._facts(),
            self.change,
            (first.stopped and not own) or unread,
            "" if unread else said(error),
            lesson,
            self._settled(fixed),
            self.searched,
            () if own or self.kept is not None else self._hints(first, cause, lesson),
        )

    def _stopped(self, first: CheckResult) -> CheckResult:
        """The check that an error stopped on the line of ``first``: the error says more."""
        failing = (one for one in self.report.checks if one.status is Status.FAIL)
        there = (one for one in failing if one.stopped and one.line == first.line)
        return next(there, first) if first.line is not None else first

    def _blanks(self) -> int:
        """How many blanks the file has, if it is as the course gives it."""
        stub = make_stub(self._solution)
        return stub.count(TODO) if _code(self.source) == _code(stub) else 0

    def _lesson(self, first: CheckResult) -> str:
        """The section about a check."""
        check = next((one for one in self.rubric.checks if one.id == first.id), None)
        path = self.step.lesson.relative_to(self.step.root).as_posix()
        return f'{path}, "{check.lesson}"' if check is not None else path

    def _hints(self, first: CheckResult, cause: str, lesson: str) -> tuple[str, ...]:
        """Those of the check; an empty one in the place of what the block says already."""
        read = (one.read for one in self.rubric.checks if f'"{one.lesson}"' in lesson)
        known = {cause, *self._facts(), *read}
        said = (known & {hint, self._begun(hint.rstrip("."))} for hint in first.hints)
        return tuple("" if twice else hint for twice, hint in zip(said, first.hints, strict=True))

    def _facts(self) -> tuple[str, ...]:
        """What was read off the values, or tried, beside the change."""
        if self.kept is not None:
            return (FRESH,)
        trace, change = self.report.trace, self.change
        return () if trace is None or (change is not None and change.holds) else trace.told

    def _place(self, first: CheckResult) -> tuple[int | None, bool]:
        """The line to change, and whether what is missing belongs after it."""
        tried = self.change.changes if self.change is not None and self.change.holds else ()
        if self.kept is not None and not (tried and tried[0].old):
            return min((self.kept.line, *(one.line for one in tried[:1]))), False
        if tried:
            return _place(tried[0])
        trace = self.report.trace
        if trace is not None and trace.line is not None:
            return trace.line, trace.left_out and not self._returns(trace.line)
        return first.line, first.after

    def _returns(self, line: int) -> bool:
        """Whether nothing can be after a line."""
        return self.source.splitlines()[line - 1].lstrip().startswith("return ")

    def _named(self, line: int | None) -> Diagnosis | None:
        """The mistake that explains the numbers; not if the change is elsewhere."""
        found = self.report.diagnosis[:1]
        if not found or len(self.report.diagnosis) > 1 or self._passes:
            return found[0] if found else None
        return found[0] if self._agrees(line, found[0].line) else None

    @property
    def _passes(self) -> bool:
        """Whether a change makes all right that a known mistake explains: it is that mistake."""
        return self.change is not None and self.change.passes

    def _agrees(self, line: int | None, other: int | None) -> bool:
        """Whether ``other`` may be where the mistake is: it is not if a change elsewhere holds."""
        near = line is None or other is None or abs(line - other) <= 1
        return near or self.change is None or not self.change.holds

    def _own_check(self, first: CheckResult) -> range:
        """The lines of the learner's own check that raised the error to fix first; else none."""
        error = self.raised
        if error is None or error.line is None or error.origin != "file":
            return range(0)
        own = own_check(self.source, error.line, self._solution)
        wanted = error.type_name in raises(self._solution) and not self._edits(own)
        return own if (first.stopped or first.line == error.line) and not wanted else range(0)

    def _edits(self, own: range) -> bool:
        """Whether a change that holds is on one of these lines."""
        changes = self.change.changes if self.change is not None and self.change.holds else ()
        return any(one.line + n in own for one in changes for n in range(len(one.old)))

    def _cause(
        self, first: CheckResult, named: Diagnosis | None, own: range, line: int | None
    ) -> str:
        """What is wrong, in a sentence without its end."""
        if self.kept is not None:
            return KEEPS.format(name=self.kept.name)
        if own and self.raised is not None:
            return STRICT if self._edits(own) else REFUSES.format(line=self.raised.line)
        if named is not None:
            return self._begun(named.message.partition(". ")[0].rstrip("."))
        if not first.stopped and not self._agrees(line, first.line):
            failing = (one for one in self.report.checks if one.status is Status.FAIL)
            there = next(
                (one for one in failing if one.line and self._agrees(line, one.line)), None
            )
            if there is None:
                return LACKS if self._place(first)[1] else WRONG
            first = there
        check = next((one for one in self.rubric.checks if one.id == first.id), None)
        said = first.message
        if check is not None:
            why = said.removeprefix(f"{check.failed}: ")
            trace = self.report.trace
            blank = trace.blank if trace is not None and not first.stopped else ""
            step = next((one for one in self.rubric.checks if blank and one.id == blank), None)
            if why != said and step is not None:
                return BUT.lower() + step.passed
            said = why
        return self._begun(said.partition("\n")[0].rstrip("."))

    def _begun(self, sentence: str) -> str:
        """A sentence as it goes on after a colon; one that begins with a name stays as it is."""
        first = ORDINARY.match(sentence)
        imports = of_kind(parsed(self._solution), ast.alias)
        if first is None or first[0] in {one.asname or one.name for one in imports}:
            return sentence
        return sentence[:1].lower() + sentence[1:]

    @cached_property
    def _solution(self) -> str:
        return self.step.solution.read_text(encoding="utf-8")

    def _settled(self, first: CheckResult) -> tuple[str, ...]:
        """The failing checks of which it is known that the change settles them."""
        if self.change is None or not (self.change.holds or self.change.check == first.id):
            return ()
        failing = (one.id for one in self.report.checks if one.status is Status.FAIL)
        return tuple(failing) if self.change.passes else (first.id,)

    def _frame(
        self, line: int | None, own: range, error: SeenError | None, *, after: bool
    ) -> Iterator[Framed]:
        """The line to change among those that were compared with the reference."""
        lines = self.source.splitlines()
        if line is None or not 1 <= line <= len(lines):
            return
        margin = {one.line: one for one in (self.report.trace.margin if self.report.trace else ())}
        within = _function(self.source, line)
        before = line + 1 if after else line
        right = [n for n in margin if n in within and n < before and margin[n].mark == "right"]
        wrong = [n for n in margin if n >= line and margin[n].mark == "left"]
        raised = error.line if error is not None else None
        if raised not in (None, line):
            right = []  # the lines from here to the error say enough
        shown = {line, *right[-1:], *wrong[:1], raised or line, *own[:1]}
        for number in sorted(one for one in shown if one <= len(lines)):
            mark = MARKS.get(margin[number].mark, "") if number in margin else ""
            if number == line and not after and mark != "wrong":
                mark = "change"
            elif number == raised:
                mark = "error"
            yield Framed(number, lines[number - 1], mark, _fact(margin.get(number)))
            if after and number == line:
                yield Framed(None, "")


def agreed(report: Report, rubric: Rubric, findings: Mapping[str, Finding]) -> Report:
    """The report without a ✅ of the source on the line that is to be changed: it waits."""
    told = report.explanation
    if told is None or told.line is None or told.after or report.first_to_fix is None:
        return report
    there = {name for name, one in findings.items() if one.ok and one.line == told.line}
    checks = {check.id: check for check in rubric.checks}
    first = checks.get(report.first_to_fix.id)
    if first is None:
        return report
    results = (
        checks[one.id].waiting(first.passed, SUSPECT.format(line=told.line))
        if one.id in there and one.status is Status.PASS
        else one
        for one in report.checks
    )
    return replace(report, checks=tuple(results))


def _code(text: str) -> list[str]:
    """The lines that say something; a cell of a notebook does not say how to run the file."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith(("#", "%", "Run: "))]


def _place(change: Replaced) -> tuple[int, bool]:
    """The line that a change is on, or the one in front of what it adds."""
    return (change.line, False) if change.old else (max(1, change.line - 1), True)


def _function(source: str, line: int) -> range:
    """The lines of the innermost function around ``line``, or all."""
    whole = range(1, source.count("\n") + 2)
    try:
        nodes = of_kind(parsed(source), ast.FunctionDef)
    except SyntaxError:
        return whole
    around = (range(one.lineno, (one.end_lineno or one.lineno) + 1) for one in nodes)
    return min((one for one in around if line in one), key=len, default=whole)


def _fact(one: Margin | None) -> str:
    return " ".join(filter(None, (one.name, one.shape))) if one is not None else ""
