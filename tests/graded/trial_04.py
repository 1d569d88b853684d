"""Whether a file is right as an answer to step 04: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.graded import other_formulas as formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

TEXTS = (
    ([[5, 6, 7, 9], [8, 9, 9, 9], [9, 9, 0, 12], [1, 9, 2, 9]], 9),
    ([[3, 4, 5], [0, 9, 60000]], 50256),
    ([[7, 7], [7, 1]], 7),
    ([[2]], 2),
    ([[0, 3, 0, 0, 1]], 0),
    ([[1, 7, 3], [2, 3, 4], [7, 7, 1]], 7),
    ([[1, 2, 7], [7, 3, 4], [1, 7, 1]], 7),
    ([[5, -100, 3, 8], [-100, 3, 4, 5]], -100),
    ([[4464, 70000, 3], [1, 2, 3]], 70000),
    ([[1, 2, 3, 4, 7, 7], *([[7, 1, 2, 3, 4, 5]] * 5)], 7),
    ([[50256, 1, 3], [3, 3, 50256]], 3),
    ([[3, 4, 3, 5]], 3),
    ([[3, 4], [3, 5]], 3),
    ([[3, index % 4, 5] for index in range(12)], 3),
    ([[index % 5 for index in range(300)]], 3),
    ([[100, -100, -100], [5, 100, -100]], -100),
)


def trial(module: types.ModuleType) -> Iterator[float]:
    from max.dtype import DType

    for ids, pad in TEXTS:
        for integer in (np.int64, np.int32):
            padding = tools.call(module.padding_mask, np.array(ids, integer), pad)
            may = formulas.visible(ids, pad)
            batch, seq = len(ids), len(ids[0])
            _behaves(tools.read(padding, "the padding mask"), (batch, 1, 1, seq), may)
            causal = np.triu(np.full((seq, seq), -np.inf, np.float32), 1)
            combined = tools.call(module.combine_masks, causal, padding)
            past = may & (causal == 0)
            _behaves(tools.read(combined, "the combined mask"), (batch, 1, seq, seq), past)
            low = np.finfo(np.float32).min
            ours = np.where(np.array(ids) == pad, low, np.float32(0))[:, None, None]
            combined = tools.call(module.combine_masks, causal, ours)
            _behaves(tools.read(combined, "the combination"), (batch, 1, seq, seq), past)
        wide, narrow = (np.where(one, -np.inf, 0.0) for one in (np.array(ids) == pad, causal < 0))
        combined = tools.call(module.combine_masks, narrow, wide[:, None, None])
        if combined.dtype != DType.float64:
            raise Wrong("the combination of float64 masks is none")
        if not np.array_equal(
            combined.to_numpy() < -300, np.broadcast_to(~past[:, None], past[:, None].shape)
        ):
            raise Wrong("the combination of float64 masks hides other places")
        lowest = np.where(np.array(ids) == pad, np.finfo(np.float64).min, 0.0)[:, None, None]
        combined = tools.call(module.combine_masks, narrow, lowest)
        _behaves(combined.to_numpy(), (batch, 1, seq, seq), past)
    some = [[1, 2], [2, 2]]
    double = tools.call(module.padding_mask, np.array(some), 2, dtype=DType.float64)
    if double.dtype != DType.float64:
        raise Wrong("the dtype is not the one asked for")
    _behaves(double.to_numpy(), (2, 1, 1, 2), formulas.visible(some, 2))
    yield 0.0


def _behaves(mask: Any, shape: tuple[int, ...], may: Any) -> None:
    """The mask has this shape, shows with 0, hides from any score, and leaves no NaN.

    It hides the future with −inf, if it hides that, and padding with the lowest number.
    """
    if mask.shape != shape:
        raise Wrong(f"a mask has shape {mask.shape}, not {shape}")
    wide = np.broadcast_to(mask, (shape[0], 1, may.shape[1], may.shape[2]))[:, 0]
    future = np.triu(np.ones(wide.shape[-2:], bool), 1) & (shape[2] > 1)
    if not np.isneginf(wide[:, future]).all():
        raise Wrong("the future is hidden with a finite number")
    lowest = wide[~may & ~future]
    if not (np.isfinite(lowest) & (lowest < 0.99 * np.finfo(mask.dtype).min)).all():
        raise Wrong("padding is not hidden with the lowest number")
    if not np.array_equal(wide[may], np.zeros(int(may.sum()))):
        raise Wrong("what is visible is not 0")
    random = tools.generator(41)
    for _ in range(20):
        scores = random.uniform(-100, 100, wide.shape).astype(np.float32)
        with np.errstate(all="ignore"):
            masked = scores + wide
            shares = np.exp(masked - masked.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
        if not np.isfinite(shares).all():
            raise Wrong("the softmax is NaN somewhere")
        some = may.any(-1, keepdims=True)
        if (shares * (~may & some)).max() > 1e-6:
            raise Wrong("what is hidden gets weight")
