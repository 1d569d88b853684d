"""A first forward pass of our own, so that the learner's does not pay for first-time work.

MAX imports parts of itself, and registers what it builds graphs from, when they are first
used. A worker started ahead of time does that before its job arrives.
"""

from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim

WIDTH, HEADS, LENGTH = 4, 2, 3


class Attention(Module[[Tensor], Tensor]):  # type: ignore[misc]
    """What most steps ask of MAX, as small as possible."""

    def __init__(self) -> None:
        self.c_attn = Linear(WIDTH, 3 * WIDTH, bias=True)
        self.c_proj = Linear(WIDTH, WIDTH, bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` and the result are ``[1, seq, width]``."""
        query, key, value = (_heads(part) for part in F.split(self.c_attn(x), [WIDTH] * 3, axis=2))
        weights = F.softmax(query @ key.transpose(-2, -1) / 2.0 + _mask())  # [1, head, seq, seq]
        merged = (weights @ value).transpose(1, 2).reshape([1, LENGTH, WIDTH])  # [1, seq, width]
        return self.c_proj(merged)  # [1, seq, width]


def _heads(x: Tensor) -> Tensor:
    return x.reshape([1, LENGTH, HEADS, WIDTH // HEADS]).transpose(1, 2)  # [1, head, seq, head_dim]


def _mask() -> Tensor:
    low = Tensor.constant(float("-inf"), dtype=DType.float32)  # []
    full = F.broadcast_to(low, shape=(Dim(LENGTH), Dim(LENGTH)))  # [seq, seq]
    return F.band_part(full, num_lower=None, num_upper=0, exclude=True)  # [seq, seq]


def run_forward() -> None:
    """Build a module, load weights into it and run it, as a probe does."""
    with F.lazy():
        module = Attention()
    shapes = {name: [int(n) for n in tensor.shape] for name, tensor in module.parameters}
    module.load_state_dict({name: np.ones(shape, np.float32) for name, shape in shapes.items()})
    with F.lazy():
        result = module(Tensor.from_dlpack(np.ones((1, LENGTH, WIDTH), np.float32)))
    result.to_numpy()
