"""Random numbers for trials, and how long a long text is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Rng = np.random.Generator


def normal(rng: Rng, *shape: int, scale: float = 1.0) -> Array:
    """Normal numbers, float32."""
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)


def nonzero(rng: Rng, *shape: int, scale: float = 1.0) -> Array:
    """Numbers of both signs, float32, between half and one and a half times ``scale`` in size.

    None is so near 0 that what depends on it alone would not show.
    """
    signs = np.array((-scale, scale), np.float32)[rng.integers(0, 2, shape)]
    return signs * rng.uniform(0.5, 1.5, shape).astype(np.float32)


LONG = 257
"""Tokens of a long text, at least. A mask that is fixed at 256 positions or fewer ends before it.

GPT-2 reads up to 1024. Programs that go token by token are right too, and need seconds for so many.
"""


def long(rng: Rng, least: int = LONG) -> int:
    """The length of a long text."""
    return int(rng.integers(least, least + 16))
