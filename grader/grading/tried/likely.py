"""How likely an edit is what went wrong, by its kind, its size, and where the report points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from grader.grading.tried.clues import Clues
from grader.grading.tried.text import Edit

Feature = tuple[str, str]
STEP, MOST_SIZE = 2, 12
"""Sizes are told apart in steps, up to the last; those of edits towards the reference by half."""
NEARER = frozenset(("piece", "pieces", "with", "without", "moved", "statements"))
"""The kinds of edits that bring a program nearer to the reference."""
FEW = (3, 6, 12, 25)
"""Up to so many edits towards the reference, a program is told apart: it is built more like it."""

WEIGHTS: Mapping[Feature, int] = {
    ("place", "there/there"): 28,
    ("place", "unknown/there"): 27,
    ("place", "far/there"): 25,
    ("place", "beside/there"): 4,
    ("place", "beside/beside"): -2,
    ("place", "far/beside"): -2,
    ("place", "unknown/near"): -3,
    ("place", "there/beside"): -4,
    ("place", "far/near"): -4,
    ("place", "beside/far"): -4,
    ("place", "near/far"): -5,
    ("place", "unknown/beside"): -6,
    ("place", "there/far"): -7,
    ("place", "near/near"): -17,
    ("place", "unknown/far"): -18,
    ("place", "far/far"): -25,
    ("reference", "3"): 36,
    ("reference", "6"): 6,
    ("reference", "12"): 3,
    ("reference", "more"): -8,
    ("reference", "25"): -13,
    ("raised", "there"): 5,
    ("raised", "far"): -3,
    ("raised", "near"): -3,
    ("function", "same"): 5,
    ("function", "another"): -5,
    ("size", "-1"): 19,
    ("size", "0"): 12,
    ("size", "1"): 10,
    ("size", "2"): 7,
    ("size", "3"): -11,
    ("size", "4"): -16,
    ("size", "5"): -18,
    ("size", "6"): -34,
    ("nearer", "1"): 17,
    ("nearer", "2"): 12,
    ("nearer", "0"): 11,
    ("nearer", "3"): 7,
    ("nearer", "4"): 3,
    ("nearer", "6"): -3,
    ("nearer", "5"): -5,
    ("runs", "value"): 28,
    ("runs", "pieces"): 21,
    ("runs", "raised"): 19,
    ("runs", "text"): 18,
    ("runs", "assigned"): 16,
    ("runs", "argument more"): 12,
    ("runs", "sum"): 12,
    ("runs", "statement moved"): 11,
    ("runs", "items swapped"): 8,
    ("runs", "operator"): 8,
    ("runs", "with"): 8,
    ("runs", "brackets"): 8,
    ("runs", "statements"): -1,
    ("runs", "defined"): -1,
    ("runs", "into a loop"): -1,
    ("runs", "sign"): -3,
    ("runs", "shift"): -3,
    ("runs", "name"): -3,
    ("runs", "attribute"): -3,
    ("runs", "target"): -3,
    ("runs", "piece"): -4,
    ("runs", "swapped"): -5,
    ("runs", "turned"): -8,
    ("runs", "part"): -9,
    ("runs", "moved"): -9,
    ("runs", "slice"): -9,
    ("runs", "item more"): -12,
    ("runs", "left out"): -13,
    ("runs", "sides"): -13,
    ("runs", "without"): -13,
    ("runs", "number"): -16,
    ("runs", "constant"): -19,
    ("runs", "step"): -19,
    ("raises", "pieces"): 31,
    ("raises", "value"): 27,
    ("raises", "items"): 18,
    ("raises", "statement moved"): 15,
    ("raises", "argument more"): 14,
    ("raises", "assigned"): 14,
    ("raises", "text"): 11,
    ("raises", "moved"): 10,
    ("raises", "piece"): 9,
    ("raises", "sides"): 7,
    ("raises", "operator"): 7,
    ("raises", "elif"): 7,
    ("raises", "with"): 6,
    ("raises", "target"): 6,
    ("raises", "items swapped"): 5,
    ("raises", "defined"): -1,
    ("raises", "sign"): -2,
    ("raises", "sum"): -2,
    ("raises", "statements"): -3,
    ("raises", "slice"): -3,
    ("raises", "name"): -5,
    ("raises", "attribute"): -7,
    ("raises", "turned"): -7,
    ("raises", "item more"): -7,
    ("raises", "brackets"): -7,
    ("raises", "left out"): -8,
    ("raises", "shift"): -9,
    ("raises", "number"): -11,
    ("raises", "listed"): -11,
    ("raises", "list or tuple"): -11,
    ("raises", "without"): -13,
    ("raises", "part"): -15,
    ("raises", "step"): -17,
    ("raises", "constant"): -22,
    ("raises", "starred"): -22,
    ("runs", "told"): 50,
    ("raises", "told"): 50,
    ("runs", "two"): -10,
    ("raises", "two"): -10,
}


@dataclass
class Weights:
    """Weighs the edits of a program, which ``raised`` an error or gives wrong numbers.

    ``nearer`` is how many edits would bring it nearer to the reference.
    """

    clues: Clues
    raised: bool
    nearer: int = 0
    _of_lines: dict[int, int] = field(default_factory=dict)

    def of(self, edit: Edit) -> int:
        """How likely an edit is: the more, the likelier."""
        own = sum(WEIGHTS.get(one, 0) for one in of_edit(edit, self.nearer, raised=self.raised))
        return own + self.of_line(edit.line)

    def of_line(self, line: int) -> int:
        """How likely a line is wrong."""
        if line not in self._of_lines:
            self._of_lines[line] = sum(WEIGHTS.get(one, 0) for one in self.clues.about(line))
        return self._of_lines[line]


def of_edit(edit: Edit, nearer: int, *, raised: bool) -> Iterator[Feature]:
    """What may matter of an edit by itself."""
    yield f"{'raises' if raised else 'runs'}", edit.kind
    if edit.kind in NEARER:
        yield "reference", next((str(most) for most in FEW if nearer <= most), "more")
        yield "nearer", str(min(2 * MOST_SIZE, edit.size) // (2 * STEP))
    else:
        yield "size", str(max(-STEP, min(MOST_SIZE, edit.size)) // STEP)
