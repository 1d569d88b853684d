from __future__ import annotations

from math import sqrt
from typing import Any, Callable

from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Frame:
    """Method chaining, like df.pipe(...).pipe(...)."""

    def __init__(self, data: Tensor) -> None:
        self.data = data

    def pipe(self, step: Callable[..., Tensor], *args: Any, **kwargs: Any) -> Frame:
        return Frame(step(self.data, *args, **kwargs))


def with_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    return scores if mask is None else scores + mask


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    *_, head_dim = query.shape
    weights = (
        Frame(query / sqrt(int(head_dim)))
        .pipe(F.matmul, key.T if key.rank == 2 else key.transpose(-2, -1))
        .pipe(with_mask, mask)
        .pipe(F.softmax, axis=-1)
        .data
    )
    result = Frame(weights).pipe(F.matmul, value)
    return result.data, weights
