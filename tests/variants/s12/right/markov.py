"""Text as a process: x_{t+1} ~ softmax(l(x_0..x_t) / T)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


def σ(s):
    # σ(s)_i = e^(s_i) / Σ_j e^(s_j), invariant under s -> s - max s
    e = np.exp(s - s.max())
    return e / e.sum()


def truncate(s, k):
    # s_i -> -∞ unless s_i >= s_(k), the k-th order statistic from above
    n = s.size
    if k is None or k >= n:
        return s
    c = np.partition(s, n - k)[n - k]
    return np.where(s >= c, s, -np.inf)


def next_token(
    logits, *, temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0
) -> int:
    # lim T -> 0 is the argmax
    l, T, u = logits, temperature, draw
    if T == 0:
        return int(l.argmax())
    s = np.asarray(l, dtype=np.float64) / T
    p = σ(truncate(s, top_k))
    # inverse of the distribution function: #{i : G_i <= u}
    G = np.add.accumulate(p)
    G = G / G[-1]
    return int(np.count_nonzero(G <= u))


class GPT2WithCache(GPT2LMHeadModel):
    """f(x | c) for new tokens x after cached ones c."""

    def _attend(self, attn, hidden_states, past):
        x, h, d = hidden_states, attn.num_heads, attn.head_dim
        *b, n, e = x.shape
        # R^(3e) = R^e ⊕ R^e ⊕ R^e, each R^e = (R^d)^h
        π = F.chunk(attn.c_attn(x), 3, axis=-1)
        τ = lambda y: y.transpose(-2, -3)  # τ ∘ τ = id
        q, k, v = (τ(y.reshape([*b, n, h, d])) for y in π)

        m = 0  # tokens in the past
        if past is not None:
            K, V = past
            m = K.shape[-2]
            k = F.concat((K, k), axis=-2)
            v = F.concat((V, v), axis=-2)

        # n = 1: the only row of M is zero
        M = None if n == 1 else causal_mask(n, m, dtype=x.dtype, device=x.device)
        y, _ = scaled_dot_product_attention(q, k, v, M)
        return attn.c_proj(τ(y).reshape([*b, n, e])), (k, v)

    def decode(self, input_ids, cache=None):
        f = self.transformer
        n = input_ids.shape[-1]
        # t in {m, ..., m + n - 1}
        m = cache[0][0].shape[-2] if cache else 0
        t = F.range(m, m + n, 1, n, dtype=DType.int64, device=input_ids.device)
        x = f.wte(input_ids) + f.wpe(t)

        # x <- (1 + MLP ∘ N2) ∘ (1 + A ∘ N1) x
        C = []
        for B, c in zip(f.h, cache or repeat(None)):
            a, kv = self._attend(B.attn, B.ln_1(x), c)
            x = x + a
            x = x + B.mlp(B.ln_2(x))
            C.append(kv)

        return self.lm_head(f.ln_f(x)), tuple(C)


def stream(
    model: GPT2WithCache,
    tokens: Sequence[int],
    max_new_tokens: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    eos_token_id: int | None = None,
    use_cache: bool = True,
    draws: Iterable[float] | None = None,
) -> Iterator[int]:
    # U_1, U_2, ... uniform on [0, 1)
    r = np.random.default_rng()
    U = iter(draws) if draws is not None else (r.random() for _ in repeat(None))
    u = lambda: next(U) if temperature > 0 else 0.0

    x = list(tokens)
    N = min(len(x) + max_new_tokens, model.config.n_positions)
    z = x  # what the model has not seen
    c = None
    while len(x) < N:
        with F.lazy():
            X = Tensor([z], dtype=DType.int64)
            l, c = model.decode(X, c) if use_cache else (model(X), None)
        w = next_token(l.to_numpy()[0, -1, :], temperature=temperature, top_k=top_k, draw=u())
        x = x + [w]
        z = [w] if use_cache else x
        yield w
        if w == eos_token_id:
            break


def generate(model, tokens, max_new_tokens, **options) -> list[int]:
    return list(chain(tokens, stream(model, tokens, max_new_tokens, **options)))
