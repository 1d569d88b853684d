"""Loops that leave gaps or fill too little, and what calls hand to helpers of the file."""

from __future__ import annotations

import numpy as np

from tests import recorded_runs

TURNS = """\
import numpy as np

def joined(x, y):
    parts = {"one": x + y, "two": x * y}
    return np.stack([part[:, None] for part in parts.values()])
"""


def test_every_turn_of_a_comprehension_flows_into_what_is_made_of_it() -> None:
    given = np.arange(6.0).reshape(3, 2), np.arange(6.0, 12.0).reshape(3, 2)
    both = recorded_runs.compared(TURNS.replace("x + y", "x - y"), TURNS, "joined", *given)
    (left,) = both.departures(max(both.mine.made))
    assert both.mine.line(left.node) == 4
