"""How likely an edit is what went wrong, by its kind, its size, and where the report points."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.explain.repair.clues import Clues
from grader.explain.repair.edits import Edit

Feature = tuple[str, str]
STEP, MOST_SIZE = 2, 12
"""Sizes are told apart in steps, up to the last; those of edits towards the reference by half."""
RARE, KINDS = 20, ("raises", "runs")
"""The weight of a kind of edit too rare to learn one: where it is made, it mostly helps."""
NEARER = frozenset(("piece", "pieces", "with", "without", "moved", "statements"))
"""The kinds of edits that bring a program nearer to the reference."""
FEW = (3, 6, 12, 25)
"""Up to so many edits towards the reference, a program is told apart: it is built more like it."""

WEIGHTS: Mapping[Feature, int] = {
    (group, value): weight
    for group, every in json.loads(Path(__file__).with_name("weights.json").read_text()).items()
    for value, weight in every.items()
}
"""How much each speaks for an edit, in tenths of a natural logarithm.

``python -m tests.graded.fitting`` writes them.
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
        every = *of_edit(edit, self.nearer, raised=self.raised), self.clues.lies(edit)
        own = sum(WEIGHTS.get(one, RARE if one[0] in KINDS else 0) for one in every)
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
