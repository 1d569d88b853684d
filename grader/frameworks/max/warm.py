"""Does MAX's first-time work before a job arrives, so that a learner's file need not wait for it.

MAX imports parts of itself, and registers what it builds graphs from, when they are first used.
Every operation that most steps use is called here once, in an order that computes nothing useful:
this code runs in the learner's process, so none of it may serve as an answer.
"""

from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim

WIDTH, PARTS, LENGTH = 6, 3, 4


class Operations(Module[[Tensor], Tensor]):  # type: ignore[misc]
    """One layer, and a sequence of operations on its output."""

    def __init__(self) -> None:
        self.layer = Linear(WIDTH, WIDTH, bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Map ``x`` ``[1, length, width]`` to ``[1, parts, length, length]``."""
        first, *_ = F.split(F.softmax(self.layer(x)), [WIDTH // PARTS] * PARTS, axis=2)
        wide = F.broadcast_to(first + x[..., :2], shape=(Dim(PARTS), LENGTH, WIDTH // PARTS))
        turned = wide.reshape([1, LENGTH, PARTS, WIDTH // PARTS]).transpose(1, 2)  # [1, 3, 4, 2]
        square = turned @ turned.transpose(-2, -1) / 2.0  # [1, parts, length, length]
        return F.band_part(square, num_lower=0, num_upper=1, exclude=False) + _one()


def _one() -> Tensor:
    return Tensor.constant(1.0, dtype=DType.float32)  # []


def run_forward() -> None:
    """Build a module, load weights into it and run it, as a probe does."""
    with F.lazy():
        module = Operations()
    shapes = {name: [int(n) for n in tensor.shape] for name, tensor in module.parameters}
    module.load_state_dict({name: np.ones(shape, np.float32) for name, shape in shapes.items()})
    with F.lazy():
        result = module(Tensor.from_dlpack(np.ones((1, LENGTH, WIDTH), np.float32)))
    result.to_numpy()
