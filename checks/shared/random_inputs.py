"""Random numbers for trials, and the length of a long text."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Rng = np.random.Generator


def normal(rng: Rng, *shape: int, scale: float = 1.0) -> Array:
    """Draw normal numbers, float32."""
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)


def nonzero(rng: Rng, *shape: int, scale: float = 1.0) -> Array:
    """Draw numbers of both signs, float32, between 0.5 and 1.5 times ``scale`` in size.

    None is so close to 0 that an effect of it alone would not show.
    """
    signs = np.array((-scale, scale), np.float32)[rng.integers(0, 2, shape)]
    return signs * rng.uniform(0.5, 1.5, shape).astype(np.float32)


LONG = 257
"""The fewest tokens of a long text. A mask with a fixed size of at most 256 positions is too small.

GPT-2 reads up to 1024. Programs that go token by token are right too, but need seconds for so many.
"""


def long(rng: Rng, least: int = LONG) -> int:
    """Draw the length of a long text."""
    return int(rng.integers(least, least + 16))
