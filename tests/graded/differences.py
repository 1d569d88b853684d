"""Finds the shortest edit that makes one program of another."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from tests.graded.edits import Edit, Place, lines_of, occurrences

CHANGED = 16
"""An edit that removes and adds more lines than this is harder to read than the program."""

Span = tuple[int, int]
"""Lines of the base: the first, and the one after the last."""

Code = tuple[str, int, int, int, int]
"""As ``difflib`` has them: a tag, a span of the base, a span of the program."""


def nearest(
    name: str, header: Mapping[str, str], text: str, bases: Mapping[str, str]
) -> Edit | None:
    """The shortest edit that makes ``text`` (without its header) of one of ``bases``; the first.

    None where every one is too long: more than ``CHANGED`` lines, or over half the program.
    """
    made = (Edit(name, base, header, places(old, text)) for base, old in bases.items())
    short = [
        one
        for one in made
        if one.places and one.changed <= CHANGED and 2 * one.size <= len(lines_of(text))
    ]
    return min(short, key=lambda one: one.size, default=None)


def places(base: str, text: str) -> tuple[Place, ...]:
    """Where the programs differ, with the lines around that it takes to find each place."""
    old, new = lines_of(base), lines_of(text)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = _merged((i1, i2) for tag, i1, i2, _, _ in codes if tag != "equal")
    unique = _merged(_widened(old, *span) for span in changed)
    return tuple(Place(0, tuple(_signed(span, codes, old, new))) for span in unique)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans with one line between them, or none, as one: ``@@`` would be a line as well."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _widened(old: list[str], start: int, end: int) -> Span:
    """The span with the fewest lines around it that make it unique, no blank ones outside."""
    for extra in range(len(old) + 1):
        for first in range(start - extra, start + 1):
            last = first + end - start + extra
            if first < 0 or last > len(old) or first == last:
                continue
            blank = (first < start and not old[first]) or (last > end and not old[last - 1])
            if not blank and len(occurrences(old[first:last], old)) == 1:
                return first, last
    raise ValueError("every line of the base is blank")


def _signed(span: Span, codes: Sequence[Code], old: list[str], new: list[str]) -> list[str]:
    """The lines of a place, each with its sign."""
    start, end = span
    signed: list[str] = []
    for tag, i1, i2, j1, j2 in codes:
        if tag == "equal":
            signed += [f" {line}" for line in old[max(i1, start) : max(min(i2, end), start)]]
        elif start <= i1 and i2 <= end:
            signed += [f"-{line}" for line in old[i1:i2]] + [f"+{line}" for line in new[j1:j2]]
    return signed
