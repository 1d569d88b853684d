"""What the report on a program says about its lines: where a change is likely to help."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.base.model import Report
from grader.explain.repair.context import Context
from grader.explain.repair.edits import Edit, Text
from grader.explain.repair.normal_form import Function
from grader.explain.repair.statements import acts
from grader.explain.trace.program import head_end
from grader.explain.trace.slicing import Slices
from grader.protocol.probe import SeenCall, SeenError

MOST_STEPS = 3
"""Steps of a slice that are told apart."""
FAR = ((0, "there"), (1, "beside"), (3, "near"))
"""What up to so many lines away is called."""


@dataclass(frozen=True)
class Clues:
    """The lines that a report names.

    ``traced`` is where the values leave the path, ``first`` the line of what to fix first, and
    ``raised`` the innermost line that an error passed through. ``marks`` say which lines have the
    reference's values. ``failed`` is the span of the expression that raised an error.
    """

    mine: Text
    traced: int | None = None
    first: int | None = None
    raised: int | None = None
    marks: Mapping[int, str] = field(default_factory=dict)
    failed: tuple[int, int] | None = None

    @staticmethod
    def of(mine: Text, report: Report, error: SeenError | None) -> Clues:
        """The clues in a report; ``error`` is what the program raised."""
        trace, first = report.trace, report.first_to_fix
        call = error.calls[-1] if error is not None and error.calls else None
        return Clues(
            mine,
            trace.line if trace is not None else None,
            first.line if first is not None else None,
            call.line if call is not None else None,
            {one.line: one.mark for one in trace.margin} if trace is not None else {},
            _span(mine, call) if call is not None else None,
        )

    def lies(self, edit: Edit) -> tuple[str, str]:
        """Whether an edit changes something inside the expression that raised an error."""
        if self.failed is None:
            return "failed", "unknown"
        start, end = self.failed
        inside = start <= edit.changes[0].start and edit.changes[-1].end <= end
        return "failed", "inside" if inside else "apart"

    def about(self, line: int) -> Iterator[tuple[str, str]]:
        """How far each of these is from the statement at a line."""
        main = self.traced or self.first
        yield "place", f"{self._far(line, self.traced)}/{self._far(line, self.first)}"
        yield "raised", self._far(line, self.raised)
        yield "use", "none" if self._start(line) in self._unused else "some"
        yield "mark", self.marks.get(self._start(line), "none")
        if main is not None:
            far = self._slices.of(self.raised or main).get(self._start(line))
            yield "slice", "none" if far is None else str(min(far, MOST_STEPS))
            same = self._function(line) == self._function(main)
            yield "function", "same" if same else "another"

    def _far(self, line: int, other: int | None) -> str:
        """How far a line is from the statement at another."""
        if other is None:
            return "unknown"
        start, end = self._spans.get(line, (line, line))
        far = max(start - other, other - end, 0)
        return next((name for most, name in FAR if far <= most), "far")

    def _start(self, line: int) -> int:
        """The first line of the statement at a line."""
        return self._spans.get(line, (line, line))[0]

    @cached_property
    def around(self) -> Context:
        """What the program says around a place."""
        return Context(self.mine)

    @cached_property
    def _unused(self) -> frozenset[int]:
        """The lines of statements whose result nothing uses."""
        found = set()
        for one in self.mine.statements:
            names = {each.id for each in getattr(one, "targets", ()) if isinstance(each, ast.Name)}
            dropped = isinstance(one, ast.Expr) and not acts(one.value)
            if dropped or (names and names <= {*self.around.unread(one)}):
                found.add(one.lineno)
        return frozenset(found)

    @cached_property
    def _slices(self) -> Slices:
        return Slices(self.mine)

    @cached_property
    def _spans(self) -> Mapping[int, tuple[int, int]]:
        """First and last line of the statement at each line; of a block, of its head."""
        found = {}
        for one in self.mine.statements:
            end = head_end(one)
            found.update(dict.fromkeys(range(one.lineno, end + 1), (one.lineno, end)))
        return found

    def _function(self, line: int) -> tuple[int, int] | None:
        """Where the innermost function around a line begins and ends."""
        return next((one for one in self._functions if one[0] <= line <= one[1]), None)

    @cached_property
    def _functions(self) -> Sequence[tuple[int, int]]:
        every = (one for one in self.mine.statements if isinstance(one, Function))
        spans = [(one.lineno, one.end_lineno or one.lineno) for one in every]
        return sorted(spans, key=lambda one: one[1] - one[0])


def _span(mine: Text, call: SeenCall) -> tuple[int, int] | None:
    """Where the expression begins and ends that was evaluated when an error was raised."""
    every = (n for n in mine.nodes if isinstance(n, ast.expr) and n.lineno == call.line)
    return next((mine.span(one) for one in every if mine.of(one) == call.code), None)
