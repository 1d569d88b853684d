"""Whether a file is right as an answer to step 03: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.graded import other_formulas as formulas
from tests.graded import trial_tools as tools

FAR_SCORES = 3, 5, 4
"""Queries, keys and width of the inputs whose scores are near ±1000."""

INPUTS = (
    # leading, queries, keys, head_dim, value_dim, shape of the mask or None
    ((), 4, 6, 5, 3, None),
    ((), 5, 5, 2, 7, (5, 5)),
    ((3,), 2, 7, 4, 6, None),
    ((3,), 4, 2, 6, 5, (4, 2)),
    ((2, 3), 5, 4, 7, 6, (2, 1, 1, 4)),
    ((2, 3), 6, 6, 4, 5, (6, 6)),
    ((4, 2), 3, 5, 6, 2, (4, 1, 3, 5)),
    ((2, 1, 3), 2, 3, 4, 5, None),
    ((1, 1), 1, 1, 3, 2, None),
    # lengths that are equal, or one, and wide heads
    ((), 4, 4, 3, 5, (4, 4)),
    ((3, 3), 4, 2, 5, 6, None),
    ((2,), 1, 4, 3, 5, None),
    ((2,), 1, 4, 3, 5, (1, 4)),
    ((2,), 4, 1, 3, 5, None),
    ((2,), 4, 3, 3, 5, None),
    ((2,), 4, 5, 3, 5, None),
    ((2,), 4, 4, 3, 5, None),
    ((2,), 3, 4, 80, 96, None),
    ((2,), *FAR_SCORES, 6, None),
    ((2,), *FAR_SCORES, 6, (3, 5)),
    ((4,), 3, 4, 2, 5, (4, 3, 4)),
    ((2, 2), 3, 4, 2, 5, (2, 3, 4)),
    ((2,), 3, 3, 2, 5, (3,)),
    ((2,), 3, 4, 2, 5, (3, 1)),
    ((2,), 1, 4, 3, 1, None),
    ((), 2, 600, 3, 2, (2, 600)),
    # the same shapes again, with another mask and without one
    ((2, 3), 6, 6, 4, 5, (6, 6)),
    ((2, 3), 6, 6, 4, 5, None),
    *(
        ((first, 2)[:leading], queries, keys, head_dim, value_dim, mask and (queries, keys))
        for first, queries, keys, head_dim, value_dim in (
            *((4, 4, 4, 4, 4), (1, 5, 3, 4, 2), (5, 2, 3, 1, 4), (2, 3, 5, 4, 1)),
            *((4, 4, 2, 2, 3), (5, 2, 5, 3, 2), (4, 3, 2, 4, 2), (3, 4, 2, 4, 3), (4, 3, 3, 2, 2)),
        )
        for leading in (1, 2)
        for mask in (False, True)
    ),
)
"""The last are equal, one, or equal in pairs, each with and without a mask."""


def trial(module: types.ModuleType) -> Iterator[float]:
    random = tools.generator(31)
    for leading, queries, keys, head_dim, value_dim, shape in INPUTS:
        q, k, v = (
            random.normal(0, 1.5, (*leading, *size)).astype(np.float32)
            for size in ((queries, head_dim), (keys, head_dim), (keys, value_dim))
        )
        if (queries, keys, head_dim) == FAR_SCORES:
            q[..., 1:], q[..., 0] = 0.0, [2.0, -2.0, 2.0]
            k[..., 0] = [1000.0, 998.5, 996.0, 991.0, 910.0]
            k[-1, ..., -1, 0] = -1000.0
        mask = _mask(random, shape) if shape else None
        if mask is not None and (queries, keys, head_dim) == FAR_SCORES:
            q[..., 0], k[..., 0], mask[..., 0] = 2.0, [990, -998, -999, -997, -996], -np.inf
            v[..., 0, :], mask[..., 1] = 1e10, 0
            k[-1, ..., :, 0], v[-1, ..., 4, :] = [999, -790, -791, -792, -1000], 1e30
        elif mask is not None and mask.ndim == 2:
            q[..., -1, :], k[..., -1, :], v[..., -1, :] = 0, 0, 0
            mask = np.where(random.random(shape) < 0.3, np.float32(-2.5), mask)
        given = [one for one in (q, k, v, mask) if one is not None]
        answer = tools.pair(module.scaled_dot_product_attention, *given)
        if mask is not None:  # by its place, and by its name
            answer = tools.pair(module.scaled_dot_product_attention, q, k, v, mask=mask)
        exact: list[Any] = [one if one is None else one.astype(float) for one in (q, k, v, mask)]
        want = formulas.attend(*exact)
        for name, have, right in zip(("the output", "the weights"), answer, want, strict=True):
            what = f"{name} for {q.shape}, {k.shape}, {v.shape}, mask {shape}"
            yield tools.off(have, right, what)
    yield from _doubles(module, random)


def _mask(random: Any, shape: tuple[int, ...]) -> Any:
    """0 and −inf, with something to see in each row."""
    mask = np.where(random.random(shape) < 0.5, -np.inf, 0).astype(np.float32)
    mask[..., 0] = 0
    if len(shape) == 1:
        mask[-1] = -np.inf
    return mask


def _doubles(module: types.ModuleType, random: Any) -> Iterator[float]:
    """Inputs and a mask in float64."""
    q, k, v = (random.normal(0, 1, size) for size in ((2, 3, 4), (2, 5, 4), (2, 5, 6)))
    mask = _mask(random, (3, 5)).astype(float)
    have = tools.call(module.scaled_dot_product_attention, q, k, v, mask)
    want = formulas.attend(q, k, v, mask)
    for one, right in zip(have, want, strict=True):
        yield tools.off(one.to_numpy(), right, "float64 with a mask")
