"""Marks for parameters of tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def whole_but_each(every: int, values: Iterable[Any]) -> list[Any]:
    """The values as parameters; all but each ``every``-th, from the first on, are marked whole.

    A tuple is several parameters. The ordinary tests so see some cases of each kind, and
    ``.ci/run`` sees all.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[pytest.mark.whole] if at % every else [],
        )
        for at, value in enumerate(values)
    ]


any_numbers = pytest.mark.filterwarnings("ignore::RuntimeWarning")
"""For tests of what is called in a grading, where no number makes NumPy warn."""
