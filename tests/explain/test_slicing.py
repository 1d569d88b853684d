"""The backward slice of a line: what it depends on, and how far that is."""

from __future__ import annotations

import pytest

from grader.explain.repair.edits import Text
from grader.explain.trace.slicing import FARTHEST, Slices

PROGRAM = """\
SCALE = 8

class Layer:
    def __init__(self, width):
        self.size = width // SCALE
        self.other = width

    def split(self, x, size):
        rows = x.reshape([-1, size])
        return rows

    def __call__(self, x, mask):
        unused = x + 1
        parts = []
        if mask is not None:
            x = x + mask
        parts.append(self.split(x, self.size))
        return parts[0]
"""


@pytest.mark.parametrize(
    ("line", "near", "far"),
    [
        (5, {5: 0, 1: 1, 4: 1}, {}),  # a constant, and a parameter
        (9, {9: 0, 8: 1, 17: 1}, {5: 2, 10: 2, 14: 2, 16: 2}),  # and what its caller gives it
        (18, {18: 0, 14: 1, 17: 1}, {5: 2, 10: 2, 16: 2}),  # what a helper returns
        (2, {}, {}),
    ],
)
def test_what_a_line_reads_is_nearest(line: int, near: dict[int, int], far: dict[int, int]) -> None:
    found = Slices(Text(PROGRAM)).of(line)
    assert {at: steps for at, steps in found.items() if steps < 3} == near | far


def test_what_a_line_does_not_depend_on_is_not_in_its_slice() -> None:
    found = Slices(Text(PROGRAM)).of(18)
    assert {6, 13}.isdisjoint(found)
    assert found[15] > found[16], "a condition comes after what it decides"


def test_no_slice_goes_back_without_end() -> None:
    chain = "x0 = 1\n" + "".join(f"x{n + 1} = x{n}\n" for n in range(20)) + "x0 = x20\n"
    far = Slices(Text(chain)).of(22)
    assert max(far.values()) == FARTHEST
    assert far[22] == 0
