"""All engine cases in one sequence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import engine_cases_elementwise
import engine_cases_reduce
import engine_cases_structure
from engine_cases import Case


def all_cases() -> Iterator[Case]:
    """Every case, from every module."""
    return chain(
        engine_cases_elementwise.cases(),
        engine_cases_structure.cases(),
        engine_cases_reduce.cases(),
    )
