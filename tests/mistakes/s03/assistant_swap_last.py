from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def swap_last(t: Tensor) -> Tensor:
    return t.transpose(-2, -1)


def normalize(s: Tensor) -> Tensor:
    e = F.exp(s - F.max(s, axis=-1))
    return e / F.sum(e, axis=-1)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    d_k = int(query.shape[-1])
    temperature = d_k**-0.5
    logits = F.matmul(query, swap_last(key))
    logits = logits * temperature
    if mask is not None:
        logits = logits + mask
    probs = normalize(logits)
    context = F.matmul(probs, value)
    return context, probs
