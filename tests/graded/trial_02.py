"""Whether a file is right as an answer to step 02: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator

from tests.graded import formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

MASKS = (
    *((4, 0), (1, 0), (300, 0), (2, 3), (3, 4), (5, 1), (1, 6), (4, 2)),
    *((2, 0), (3, 3), (1, 1), (2, 40), (4, 1020), (3, 4), (4, 0), (2, 40), (1024, 0), (400, 5)),
)


def trial(module: types.ModuleType, sizes: tuple[tuple[int, int], ...] = MASKS) -> Iterator[float]:
    from max.driver import CPU
    from max.dtype import DType

    for size in sizes:
        make = functools.partial(module.causal_mask, *size)
        mask = tools.staged(functools.partial(make, dtype=DType.float32, device=CPU()))
        what = f"causal_mask{size}"
        yield tools.off(mask, formulas.causal_mask(*size), what)
        for kind in (DType.float64, DType.float16):
            other = tools.staged(functools.partial(make, dtype=kind, device=CPU()))
            if other.dtype != kind:
                raise Wrong("the dtype is not the one asked for")
            yield tools.off(other.to_numpy(), formulas.causal_mask(*size), what)
    yield from _mask_of_dims(module)


def _mask_of_dims(module: types.ModuleType) -> Iterator[float]:
    """Lengths as a tensor's shape has them."""
    from max.driver import CPU
    from max.dtype import DType
    from max.graph import Dim

    for sizes in ((Dim(3), Dim(2)), (Dim(3), 2), (3, Dim(2))):
        make = functools.partial(module.causal_mask, *sizes, dtype=DType.float32, device=CPU())
        mask = tools.staged(make)
        want = formulas.causal_mask(3, 2)
        yield tools.off(mask, want, "a mask of dimensions")
