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
    ("place", "there/there"): 30,
    ("place", "unknown/there"): 25,
    ("place", "far/there"): 23,
    ("place", "there/beside"): 7,
    ("place", "beside/beside"): 2,
    ("place", "near/there"): -1,
    ("place", "near/beside"): -2,
    ("place", "there/near"): -2,
    ("place", "unknown/beside"): -2,
    ("place", "far/beside"): -3,
    ("place", "beside/far"): -4,
    ("place", "unknown/near"): -4,
    ("place", "there/far"): -5,
    ("place", "beside/there"): -6,
    ("place", "far/near"): -6,
    ("place", "near/far"): -7,
    ("place", "near/near"): -10,
    ("place", "unknown/far"): -19,
    ("place", "far/far"): -28,
    ("reference", "3"): 30,
    ("reference", "12"): 7,
    ("reference", "6"): 5,
    ("reference", "more"): -10,
    ("reference", "25"): -12,
    ("raised", "there"): 4,
    ("raised", "beside"): 2,
    ("raised", "far"): -2,
    ("raised", "near"): -5,
    ("function", "same"): 5,
    ("function", "another"): -5,
    ("size", "0"): 18,
    ("size", "-1"): 11,
    ("size", "1"): 10,
    ("size", "2"): 3,
    ("size", "3"): -10,
    ("size", "5"): -13,
    ("size", "4"): -15,
    ("size", "6"): -25,
    ("nearer", "4"): 9,
    ("nearer", "6"): 8,
    ("nearer", "3"): 6,
    ("nearer", "1"): 3,
    ("nearer", "2"): 1,
    ("nearer", "0"): -1,
    ("runs", "told"): 50,
    ("runs", "argument more"): 23,
    ("runs", "assigned"): 23,
    ("runs", "value"): 23,
    ("runs", "pieces"): 19,
    ("runs", "text"): 19,
    ("runs", "two"): 17,
    ("runs", "raised"): 16,
    ("runs", "items swapped"): 12,
    ("runs", "none"): 12,
    ("runs", "operator"): 11,
    ("runs", "repeated"): 11,
    ("runs", "split"): 10,
    ("runs", "brackets"): 7,
    ("runs", "statement moved"): 7,
    ("runs", "order"): 5,
    ("runs", "with"): 5,
    ("runs", "inverse"): 4,
    ("runs", "factor"): 2,
    ("runs", "attribute"): 1,
    ("runs", "swapped"): 1,
    ("runs", "by name"): -1,
    ("runs", "defined"): -1,
    ("runs", "into a loop"): -1,
    ("runs", "negated"): -1,
    ("runs", "added up"): -2,
    ("runs", "statements"): -2,
    ("runs", "sum"): -2,
    ("runs", "parameters swapped"): -3,
    ("runs", "target"): -3,
    ("runs", "name"): -4,
    ("runs", "kept"): -5,
    ("runs", "piece"): -5,
    ("runs", "power"): -5,
    ("runs", "shift"): -5,
    ("runs", "sign"): -5,
    ("runs", "turned"): -7,
    ("runs", "left out"): -9,
    ("runs", "part"): -9,
    ("runs", "unread"): -10,
    ("runs", "moved"): -11,
    ("runs", "range"): -11,
    ("runs", "sides"): -11,
    ("runs", "keyword"): -12,
    ("runs", "without"): -12,
    ("runs", "again"): -13,
    ("runs", "number"): -14,
    ("runs", "constant"): -15,
    ("runs", "item more"): -16,
    ("runs", "step"): -18,
    ("runs", "exchanged"): -23,
    ("raises", "told"): 50,
    ("raises", "argument more"): 29,
    ("raises", "assigned"): 23,
    ("raises", "pieces"): 23,
    ("raises", "value"): 23,
    ("raises", "items"): 20,
    ("raises", "defined"): 19,
    ("raises", "operator"): 17,
    ("raises", "text"): 14,
    ("raises", "moved"): 12,
    ("raises", "statement moved"): 12,
    ("raises", "two"): 12,
    ("raises", "target"): 11,
    ("raises", "by name"): 9,
    ("raises", "elif"): 9,
    ("raises", "items swapped"): 9,
    ("raises", "left out"): 9,
    ("raises", "with"): 7,
    ("raises", "attribute"): 6,
    ("raises", "piece"): 6,
    ("raises", "sides"): 5,
    ("raises", "default"): 3,
    ("raises", "keyword"): 3,
    ("raises", "swapped"): 3,
    ("raises", "turned"): 1,
    ("raises", "power"): -1,
    ("raises", "negated"): -2,
    ("raises", "parameters swapped"): -2,
    ("raises", "range"): -3,
    ("raises", "statements"): -3,
    ("raises", "added up"): -4,
    ("raises", "factor"): -4,
    ("raises", "sign"): -4,
    ("raises", "slice"): -4,
    ("raises", "sum"): -4,
    ("raises", "asked"): -5,
    ("raises", "brackets"): -5,
    ("raises", "kept"): -5,
    ("raises", "name"): -5,
    ("raises", "order"): -5,
    ("raises", "unread"): -5,
    ("raises", "listed"): -6,
    ("raises", "number"): -6,
    ("raises", "function"): -8,
    ("raises", "list or tuple"): -9,
    ("raises", "of a module"): -9,
    ("raises", "inverse"): -10,
    ("raises", "item more"): -10,
    ("raises", "again"): -11,
    ("raises", "shift"): -11,
    ("raises", "without"): -11,
    ("raises", "part"): -13,
    ("raises", "constant"): -19,
    ("raises", "step"): -19,
    ("raises", "turned into"): -21,
    ("raises", "exchanged"): -23,
    ("raises", "taken"): -23,
    ("raises", "starred"): -25,
    ("runs", "backwards"): 15,
    ("runs", "returned"): 8,
    ("runs", "crosswise"): 5,
    ("runs", "inlined"): 5,
    ("runs", "comma"): -3,
    ("raises", "kept as"): 20,
    ("raises", "called with"): 8,
    ("raises", "measured"): 8,
    ("raises", "reached"): 3,
    ("raises", "decorated"): 14,
    ("raises", "returned"): 8,
    ("raises", "comma"): 6,
    ("raises", "looped"): -4,
    ("raises", "inlined"): -4,
    ("raises", "crosswise"): -4,
    ("raises", "value more"): -12,
    ("runs", "twice"): 15,
    ("runs", "merged"): 15,
    ("runs", "around"): 12,
    ("runs", "copied"): 12,
    ("runs", "renamed"): 5,
    ("runs", "column"): -10,
    ("raises", "called"): 12,
    ("raises", "copied"): 10,
    ("raises", "merged"): 10,
    ("raises", "renamed"): 10,
    ("raises", "twice"): 8,
    ("raises", "column"): 5,
    ("raises", "around"): 0,
}
"""How much each speaks for an edit, in tenths of a natural logarithm.

Printed by ``python -m tests.graded.fitting`` with every second mistake, but for ``told`` and for
the last twenty-nine, of which too few mistakes were written to fit them: a part of what it printed.
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
