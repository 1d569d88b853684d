"""Step 04: masks for padding, as small pure functions.

Data goes in at the top of a thread and comes out at the bottom; nothing is changed in place.
"""

from __future__ import annotations

from functools import partial, reduce

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def thread(x, *fns):
    """(-> x f g h): h(g(f(x)))."""
    return reduce(lambda acc, f: f(acc), fns, x)


def scalar_like(ids: Tensor, dtype: DType, number: float) -> Tensor:
    """One number, on the device of the ids."""
    return Tensor(number, dtype=dtype, device=ids.device)


def pad_p(pad_token_id: int, ids: Tensor) -> Tensor:
    """Predicate: which of the ids are padding?"""
    return F.equal(ids, pad_token_id)


def choose(then: Tensor, otherwise: Tensor, test: Tensor) -> Tensor:
    """(if test then otherwise), for every element."""
    return F.where(test, then, otherwise)


def insert_axes(axes: tuple[int, ...], x: Tensor) -> Tensor:
    """Insert dimensions of length 1, one after the other."""
    return reduce(F.unsqueeze, axes, x)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """[batch, seq] of ids to [batch, 1, 1, seq]: 0 for a token, the lowest number for padding."""
    number = partial(scalar_like, token_ids, dtype)
    return thread(
        token_ids,
        partial(pad_p, pad_token_id),  # [batch, seq]
        partial(choose, number(finfo(dtype).min), number(0.0)),  # [batch, seq]
        partial(insert_axes, (1, 2)),  # [batch, 1, 1, seq]
    )


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """The lower number of all masks, wherever they meet: [batch, 1, seq, seq]."""
    return reduce(F.elementwise_min, (causal, padding))
