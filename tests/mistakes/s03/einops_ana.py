"""s03: sdpa, the short way. Patterns in comments, einops style."""
from __future__ import annotations

from functools import partial, wraps

from max.experimental import functional as F
from max.experimental.tensor import Tensor

softmax = partial(F.softmax, axis=-1)


def swap(x): return x.transpose(-2, -1)                      # '... n d -> ... d n'
def dot(q, k): return q @ swap(k)                            # '... i d, ... j d -> ... i j'
def mix(w, v): return w @ v                                  # '... i j, ... j c -> ... i c'
def width(x): return int(x.shape[-1])                        # Dim -> int


def exists(x): return x is not None


def prescale(f):
    "Decorator: shrink the first argument by d**-0.5 before calling `f`."
    @wraps(f)
    def _inner(q, k):
        d = width(q)
        q = q * d ** -0.5
        return f(q, k)
    return _inner


sim = prescale(dot)


def bias(s, m):
    "Add `m` to `s`, or do nothing."
    if not exists(m): return s
    return s + m


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    "softmax(q kᵀ / √d + m) v, and the weights."
    s = sim(query, key)
    s = bias(s, mask)
    w = softmax(s)
    return mix(w, value), w
