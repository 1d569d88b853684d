"""Masks, point-free as far as Python allows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor

Endo = Callable[[Tensor], Tensor]


def compose(*fs: Endo) -> Endo:
    """compose f g h = h . g . f (the first one runs first)."""
    return lambda x: reduce(lambda acc, f: f(acc), fs, x)


def pure(number: float, dtype: DType, like: Tensor) -> Tensor:
    """Lift a number into the Tensor functor."""
    return Tensor(number, dtype=dtype, device=like.device)


def insert(axis: int) -> Endo:
    """A new dimension of length 1 in front of ``axis``."""
    return partial(F.unsqueeze, axis=axis)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """[batch, seq] -> [batch, 1, 1, seq]"""
    bottom = finfo(dtype).min
    hidden, visible = (pure(number, dtype, token_ids) for number in (bottom, 0.0))

    def choose(is_padding: Tensor) -> Tensor:
        return F.where(is_padding, hidden, visible)

    heads = insert(1)
    queries = insert(2)
    pipeline = compose(
        lambda ids: ids == pad_token_id,
        choose,
        heads,
        queries,
    )
    return pipeline(token_ids)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """The meet of two masks: a semigroup under min."""
    return reduce(F.min, (causal, padding))
