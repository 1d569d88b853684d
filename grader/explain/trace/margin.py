"""A program's lines with what they gave: what ``trace`` prints beside the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.base.model import Margin
from grader.explain.trace.alignment import Departure
from grader.explain.trace.lesson import Lesson, sizes


def margin(lesson: Lesson, departures: Sequence[Departure] = ()) -> Iterator[Margin]:
    """A line for each statement that left a value, in the order of the file."""
    comparison = lesson.comparison
    mine, after = comparison.mine, comparison.after(departures)
    lines: dict[int, Margin] = {}
    for place in mine.places:
        array, statement = mine.arrays[place.value], mine.statement(place.node)
        if array is None or statement is None or not mine.is_whole(place.node):
            continue
        line = statement.lineno
        match = comparison.match(place.value)
        wrong = match is None and place.value in after
        mark = "right" if match is not None else "left" if wrong else "unknown"
        before = lines.get(line)
        if before is None or (mark == "left" and before.mark != "left"):
            lines[line] = Margin(line, sizes(array.shape), mark, lesson.quantity(match))
    yield from (lines[number] for number in sorted(lines))
