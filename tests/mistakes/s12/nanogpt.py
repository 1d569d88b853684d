"""Step 12, nanoGPT style."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel

KeyValue = tuple[Tensor, Tensor]
Cache = tuple[KeyValue, ...]


def softmax(z):
    """NumPy softmax of one vector."""
    e = np.exp(z - z.max())
    return e / e.sum()


class GPT2WithCache(GPT2LMHeadModel):
    """GPT-2 with a KV cache."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        B, T, C = hidden_states.shape
        nh, hs = attn.num_heads, attn.head_dim
        q, k, v = F.split(attn.c_attn(hidden_states), [attn.split_size] * 3, axis=2)
        # b t (h d) -> b h t d
        q = q.reshape([B, T, nh, hs]).permute([0, 2, 1, 3])
        k = k.reshape([B, T, nh, hs]).permute([0, 2, 1, 3])
        v = v.reshape([B, T, nh, hs]).permute([0, 2, 1, 3])
        P = 0
        if past is not None:
            pk, pv = past
            P = pk.shape[2]
            k = F.concat([pk, k], axis=2)
            v = F.concat([pv, v], axis=2)
        if T == 1:
            mask = None
        else:
            mask = causal_mask(T, P, dtype=q.dtype, device=q.device)
        y, att = scaled_dot_product_attention(q, k, v, mask)
        # b h t d -> b t (h d)
        y = y.permute([0, 2, 1, 3]).reshape([B, T, C])
        return attn.c_proj(y), (k, v)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        gpt = self.transformer
        T = input_ids.shape[1]
        P = 0
        if cache is not None:
            k0, v0 = cache[0]
            P = k0.shape[2]
        pos = F.range(P, P + T, out_dim=T, dtype=DType.int64, device=input_ids.device)
        x = gpt.wte(input_ids) + gpt.wpe(pos)
        if cache is None:
            cache = (None,) * len(gpt.h)
        presents = []
        for blk, kv in zip(gpt.h, cache):
            a, present = self._attend(blk.attn, blk.ln_1(x), kv)
            x = x + a
            x = x + blk.mlp(blk.ln_2(x))
            presents.append(present)
        x = gpt.ln_f(x)
        logits = self.lm_head(x)
        return logits, tuple(presents)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """Greedy or sampled."""
    if temperature == 0.0:
        return int(logits.argmax())
    z = logits.astype(np.float64) / temperature
    V = z.shape[0]
    if top_k is not None and top_k < V:
        kth = np.sort(z)[::-1][top_k - 1]
        z = np.where(z < kth, -np.inf, z)
    p = softmax(z)
    cdf = p.cumsum()
    cdf = cdf / cdf[-1]
    idx = np.searchsorted(cdf, draw, side="right")
    return int(idx)


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
    """Yield new tokens."""
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    block_size = model.config.n_positions
    n = 0
    while n < max_new_tokens and len(text) < block_size:
        idx_cond = text if cache is None else [text[-1]]
        idx = Tensor([idx_cond], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(idx, cache)
            else:
                logits = model(idx)
        last = logits.to_numpy()[0, -1, :]
        u = 0.0
        if temperature > 0:
            u = next(numbers)
        nxt = next_token(last, temperature=temperature, top_k=top_k, draw=u)
        text.append(nxt)
        yield nxt
        n += 1
        if eos_token_id is not None and nxt == eos_token_id:
            break


def generate(
    model: GPT2WithCache,
    tokens: Sequence[int],
    max_new_tokens: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    eos_token_id: int | None = None,
    use_cache: bool = True,
    draws: Iterable[float] | None = None,
) -> list[int]:
    """Continue ``tokens``, and return the whole text: see :func:`stream`."""
    written = stream(
        model,
        tokens,
        max_new_tokens,
        temperature=temperature,
        top_k=top_k,
        eos_token_id=eos_token_id,
        use_cache=use_cache,
        draws=draws,
    )
    return [*tokens, *written]
