"""Step 03: scaled dot-product attention, as a block diagram.

    query ──▶ gain ──▶ (x) ──▶ (+) ──▶ normalizer ──▶ (x) ──▶ output
                        ▲       ▲                      ▲
                       key'    mask                  value

Notation is that of control: u goes into a block, y comes out.
"""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def static_gain(key: Tensor) -> float:
    """K = 1 / sqrt(d), with d = size(key, 2)."""
    d = int(key.shape[-1])
    return 1.0 / math.sqrt(d)


def summing_point(u: Tensor, disturbance: Tensor | None) -> Tensor:
    """y = u + disturbance; without one the signal passes."""
    if disturbance is None:
        return u
    return F.add(u, disturbance)


def normalizer(u: Tensor) -> Tensor:
    """y = exp(u) / sum(exp(u), 2), computed relative to the largest u so that nothing saturates."""
    peak = F.max(u, axis=-1)  # keeps the dimension, length 1
    e = F.exp(u - peak)
    return e / F.sum(e, axis=-1)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Output and weights of attention, for any number of leading dimensions."""
    K = static_gain(key)
    y1 = F.matmul(K * query, key.T)  # [..., query_len, key_len]
    y2 = summing_point(y1, mask)
    W = normalizer(y2)  # rows sum to 1
    return F.matmul(W, value), W
