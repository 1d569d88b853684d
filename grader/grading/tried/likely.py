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
    ("place", "there/there"): 31,
    ("place", "unknown/there"): 27,
    ("place", "far/there"): 22,
    ("place", "there/beside"): 7,
    ("place", "beside/beside"): 2,
    ("place", "beside/near"): -1,
    ("place", "near/beside"): -2,
    ("place", "there/near"): -2,
    ("place", "far/beside"): -3,
    ("place", "unknown/near"): -3,
    ("place", "beside/far"): -4,
    ("place", "unknown/beside"): -4,
    ("place", "there/far"): -5,
    ("place", "beside/there"): -6,
    ("place", "far/near"): -6,
    ("place", "near/far"): -6,
    ("place", "near/near"): -10,
    ("place", "unknown/far"): -19,
    ("place", "far/far"): -29,
    ("reference", "3"): 29,
    ("reference", "6"): 8,
    ("reference", "12"): 6,
    ("reference", "more"): -11,
    ("reference", "25"): -13,
    ("raised", "beside"): 4,
    ("raised", "there"): 3,
    ("raised", "far"): -3,
    ("raised", "near"): -3,
    ("function", "same"): 3,
    ("function", "another"): -3,
    ("size", "1"): 14,
    ("size", "0"): 12,
    ("size", "-1"): 10,
    ("size", "2"): 5,
    ("size", "3"): -11,
    ("size", "5"): -13,
    ("size", "4"): -16,
    ("size", "6"): -26,
    ("nearer", "6"): 8,
    ("nearer", "4"): 7,
    ("nearer", "1"): 6,
    ("nearer", "3"): 5,
    ("nearer", "0"): 4,
    ("nearer", "2"): -1,
    ("nearer", "5"): -1,
    ("runs", "told"): 50,
    ("runs", "value"): 25,
    ("runs", "pieces"): 21,
    ("runs", "argument more"): 20,
    ("runs", "assigned"): 20,
    ("runs", "raised"): 19,
    ("runs", "two"): 17,
    ("runs", "text"): 16,
    ("runs", "inverse"): 12,
    ("runs", "operator"): 11,
    ("runs", "items swapped"): 10,
    ("runs", "repeated"): 10,
    ("runs", "none"): 8,
    ("runs", "brackets"): 8,
    ("runs", "split"): 7,
    ("runs", "statement moved"): 7,
    ("runs", "with"): 5,
    ("runs", "order"): 4,
    ("runs", "by name"): -1,
    ("runs", "defined"): -1,
    ("runs", "into a loop"): -1,
    ("runs", "statements"): -2,
    ("runs", "piece"): -3,
    ("runs", "sum"): -3,
    ("runs", "swapped"): -3,
    ("runs", "target"): -3,
    ("runs", "name"): -5,
    ("runs", "shift"): -5,
    ("runs", "sign"): -5,
    ("runs", "left out"): -7,
    ("runs", "turned"): -8,
    ("runs", "slice"): -10,
    ("runs", "moved"): -11,
    ("runs", "part"): -11,
    ("runs", "sides"): -12,
    ("runs", "without"): -13,
    ("runs", "keyword"): -15,
    ("runs", "constant"): -17,
    ("runs", "item more"): -18,
    ("runs", "number"): -18,
    ("runs", "step"): -24,
    ("runs", "exchanged"): -25,
    ("raises", "told"): 50,
    ("raises", "argument more"): 31,
    ("raises", "value"): 27,
    ("raises", "pieces"): 23,
    ("raises", "assigned"): 21,
    ("raises", "defined"): 20,
    ("raises", "items"): 20,
    ("raises", "operator"): 18,
    ("raises", "statement moved"): 13,
    ("raises", "two"): 13,
    ("raises", "none"): 11,
    ("raises", "moved"): 11,
    ("raises", "text"): 11,
    ("raises", "target"): 10,
    ("raises", "elif"): 9,
    ("raises", "sides"): 8,
    ("raises", "with"): 8,
    ("raises", "items swapped"): 7,
    ("raises", "left out"): 7,
    ("raises", "attribute"): 6,
    ("raises", "by name"): 6,
    ("raises", "piece"): 5,
    ("raises", "keyword"): -1,
    ("raises", "factor"): -3,
    ("raises", "sign"): -3,
    ("raises", "statements"): -3,
    ("raises", "order"): -4,
    ("raises", "sum"): -4,
    ("raises", "name"): -5,
    ("raises", "brackets"): -6,
    ("raises", "inverse"): -7,
    ("raises", "slice"): -7,
    ("raises", "number"): -9,
    ("raises", "shift"): -10,
    ("raises", "function"): -11,
    ("raises", "list or tuple"): -11,
    ("raises", "listed"): -11,
    ("raises", "of a module"): -12,
    ("raises", "without"): -12,
    ("raises", "item more"): -13,
    ("raises", "part"): -16,
    ("raises", "step"): -18,
    ("raises", "turned into"): -19,
    ("raises", "constant"): -21,
    ("raises", "taken"): -22,
    ("raises", "exchanged"): -25,
    ("raises", "starred"): -29,
}
"""How much each speaks for an edit, in tenths of a natural logarithm.

Printed by ``python -m tests.graded.fitting`` with every second mistake, but for ``told``.
"""


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
