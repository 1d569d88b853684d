"""How likely an edit is what went wrong, by its kind, its size, and where the report points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from grader.explain.repair.clues import Clues
from grader.explain.repair.text import Edit

Feature = tuple[str, str]
STEP, MOST_SIZE = 2, 12
"""Sizes are told apart in steps, up to the last; those of edits towards the reference by half."""
NEARER = frozenset(("piece", "pieces", "with", "without", "moved", "statements"))
"""The kinds of edits that bring a program nearer to the reference."""
FEW = (3, 6, 12, 25)
"""Up to so many edits towards the reference, a program is told apart: it is built more like it."""

WEIGHTS: Mapping[Feature, int] = {
    ("place", "unknown/there"): 36,
    ("place", "there/there"): 31,
    ("place", "far/there"): 24,
    ("place", "near/there"): 8,
    ("place", "unknown/beside"): 6,
    ("place", "there/beside"): 4,
    ("place", "far/beside"): 2,
    ("place", "beside/near"): 1,
    ("place", "beside/there"): 1,
    ("place", "beside/far"): -1,
    ("place", "there/near"): -1,
    ("place", "beside/beside"): -2,
    ("place", "near/beside"): -2,
    ("place", "far/near"): -6,
    ("place", "there/far"): -8,
    ("place", "near/far"): -9,
    ("place", "near/near"): -14,
    ("place", "unknown/near"): -14,
    ("place", "unknown/far"): -27,
    ("place", "far/far"): -32,
    ("reference", "3"): 27,
    ("reference", "6"): 15,
    ("reference", "12"): 12,
    ("reference", "25"): -5,
    ("reference", "more"): -10,
    ("raised", "there"): 8,
    ("raised", "far"): -4,
    ("raised", "near"): -5,
    ("function", "same"): 4,
    ("function", "another"): -4,
    ("size", "-1"): 11,
    ("size", "0"): 10,
    ("size", "1"): 5,
    ("size", "2"): 3,
    ("size", "3"): -6,
    ("size", "5"): -15,
    ("size", "4"): -19,
    ("size", "6"): -25,
    ("nearer", "1"): 12,
    ("nearer", "3"): 8,
    ("nearer", "4"): 7,
    ("nearer", "5"): 7,
    ("nearer", "2"): 5,
    ("nearer", "6"): 5,
    ("nearer", "0"): -5,
    ("runs", "value"): 25,
    ("runs", "assigned"): 24,
    ("runs", "into a loop"): 21,
    ("runs", "argument more"): 19,
    ("runs", "elif"): 18,
    ("runs", "raised"): 18,
    ("runs", "text"): 18,
    ("runs", "items swapped"): 16,
    ("runs", "pieces"): 16,
    ("runs", "operator"): 14,
    ("runs", "none"): 12,
    ("runs", "told"): 11,
    ("runs", "two"): 10,
    ("runs", "backwards"): 7,
    ("runs", "merged"): 7,
    ("runs", "twice"): 7,
    ("runs", "with"): 6,
    ("runs", "brackets"): 5,
    ("runs", "split"): 5,
    ("runs", "around"): 4,
    ("runs", "repeated"): 4,
    ("runs", "returned"): 4,
    ("runs", "copied"): 3,
    ("runs", "slice"): 3,
    ("runs", "swapped"): 3,
    ("runs", "crosswise"): 2,
    ("runs", "inlined"): 2,
    ("runs", "attribute"): 1,
    ("runs", "order"): 1,
    ("runs", "parameters swapped"): 1,
    ("runs", "statement moved"): 1,
    ("runs", "by name"): -1,
    ("runs", "defined"): -1,
    ("runs", "kept"): -1,
    ("runs", "negated"): -1,
    ("runs", "sign"): -1,
    ("runs", "added up"): -2,
    ("runs", "name"): -2,
    ("runs", "number"): -2,
    ("runs", "statements"): -2,
    ("runs", "comma"): -3,
    ("runs", "piece"): -3,
    ("runs", "target"): -3,
    ("runs", "part"): -4,
    ("runs", "power"): -4,
    ("runs", "range"): -4,
    ("runs", "unread"): -4,
    ("runs", "factor"): -5,
    ("runs", "sum"): -6,
    ("runs", "turned"): -7,
    ("runs", "left out"): -9,
    ("runs", "column"): -10,
    ("runs", "moved"): -11,
    ("runs", "sides"): -11,
    ("runs", "without"): -12,
    ("runs", "again"): -13,
    ("runs", "constant"): -15,
    ("runs", "item more"): -17,
    ("runs", "step"): -21,
    ("runs", "exchanged"): -25,
    ("raises", "argument more"): 34,
    ("raises", "pieces"): 26,
    ("raises", "value"): 24,
    ("raises", "assigned"): 23,
    ("raises", "decorated"): 23,
    ("raises", "told"): 19,
    ("raises", "renamed"): 18,
    ("raises", "operator"): 17,
    ("raises", "two"): 15,
    ("raises", "by name"): 14,
    ("raises", "defined"): 14,
    ("raises", "moved"): 13,
    ("raises", "returned"): 13,
    ("raises", "applied"): 12,
    ("raises", "called"): 12,
    ("raises", "raised"): 12,
    ("raises", "target"): 12,
    ("raises", "list or tuple"): 11,
    ("raises", "called with"): 10,
    ("raises", "items"): 10,
    ("raises", "kept as"): 10,
    ("raises", "keyword"): 10,
    ("raises", "with"): 10,
    ("raises", "left out"): 7,
    ("raises", "piece"): 7,
    ("raises", "text"): 6,
    ("raises", "items swapped"): 5,
    ("raises", "merged"): 5,
    ("raises", "elif"): 4,
    ("raises", "twice"): 4,
    ("raises", "measured"): 3,
    ("raises", "statement moved"): 3,
    ("raises", "sides"): 2,
    ("raises", "reached"): 1,
    ("raises", "slice"): 1,
    ("raises", "attribute"): -1,
    ("raises", "default"): -1,
    ("raises", "negated"): -1,
    ("raises", "number"): -1,
    ("raises", "power"): -1,
    ("raises", "crosswise"): -2,
    ("raises", "parameters swapped"): -2,
    ("raises", "turned"): -2,
    ("raises", "unread"): -2,
    ("raises", "added up"): -3,
    ("raises", "comma"): -3,
    ("raises", "inlined"): -3,
    ("raises", "looped"): -3,
    ("raises", "name"): -3,
    ("raises", "statements"): -3,
    ("raises", "asked"): -4,
    ("raises", "part"): -4,
    ("raises", "sign"): -4,
    ("raises", "sum"): -4,
    ("raises", "brackets"): -5,
    ("raises", "kept"): -5,
    ("raises", "listed"): -6,
    ("raises", "order"): -6,
    ("raises", "range"): -6,
    ("raises", "item more"): -7,
    ("raises", "factor"): -8,
    ("raises", "function"): -8,
    ("raises", "swapped"): -8,
    ("raises", "inverse"): -9,
    ("raises", "without"): -10,
    ("raises", "again"): -11,
    ("raises", "of a module"): -11,
    ("raises", "shift"): -11,
    ("raises", "value more"): -14,
    ("raises", "starred"): -15,
    ("raises", "constant"): -20,
    ("raises", "step"): -21,
    ("raises", "turned into"): -21,
    ("raises", "taken"): -23,
    ("raises", "exchanged"): -24,
}
"""How much each speaks for an edit, in tenths of a natural logarithm.

Printed by ``python -m tests.graded.fitting`` for 751 mistakes of ``tests/mistakes``. A kind that is
right for fewer than three of them has the mean of that and of what it had before.
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
