"""Step 03: attention as a composition of small total functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TypeAlias

from max.experimental import functional as F
from max.experimental.tensor import Tensor

Endo: TypeAlias = Callable[[Tensor], Tensor]


def identity(x: Tensor) -> Tensor:
    return x


def compose(*fs: Endo) -> Endo:
    """compose(f, g, h)(x) = f(g(h(x))), like f . g . h"""
    return reduce(lambda f, g: lambda x: f(g(x)), fs, identity)


def maybe(default: Endo, f: Callable[[Tensor], Endo], x: Tensor | None) -> Endo:
    """maybe :: b -> (a -> b) -> Maybe a -> b"""
    return default if x is None else f(x)


def scale_by(width: int) -> Endo:
    factor = width**-0.5
    return lambda scores: scores * factor


def hide(mask: Tensor) -> Endo:
    return lambda scores: scores + mask


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """attention q k v m = (w v, w) where w = softmax (hide m (scale (q kT)))"""
    weigh = compose(
        F.softmax,
        maybe(identity, hide, mask),
        scale_by(int(query.shape[-1])),
    )
    weights = weigh(query @ F.transpose(key, -1, -2))
    return weights @ value, weights
