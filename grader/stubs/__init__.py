"""Stubs from solutions, and everything else that is generated rather than written.

``blanks`` reads the regions of a solution, ``blocks`` makes generated texts, and ``generate``
brings the files of the course in step with them.
"""

from __future__ import annotations

from grader.stubs.blanks import Region, RegionProblem, make_answer, make_stub, regions
from grader.stubs.generate import back_up, sync, untouched

__all__ = [
    "Region",
    "RegionProblem",
    "back_up",
    "make_answer",
    "make_stub",
    "regions",
    "sync",
    "untouched",
]
