"""step 12. small pieces, one job each."""

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


def nr(kv):
    """How many records are in the log."""
    if kv is None:
        return 0
    return kv[0].shape[2]


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]
        cut = [attn.split_size, attn.split_size, attn.split_size]
        q, k, v = F.split(attn.c_attn(hidden_states), cut, axis=2)
        q = q.reshape(heads).transpose(1, 2)
        k = k.reshape(heads).transpose(1, 2)
        v = v.reshape(heads).transpose(1, 2)

        before = nr(past)
        if past:
            old_k, old_v = past
            k = F.concat([old_k, k], axis=2)
            v = F.concat([old_v, v], axis=2)

        n = hidden_states.shape[1]
        if n == 1:
            mask = None
        else:
            mask = causal_mask(n, before, dtype=q.dtype, device=q.device)

        out, _ = scaled_dot_product_attention(q, k, v, mask)
        out = out.transpose(1, 2).reshape(hidden_states.shape)
        return attn.c_proj(out), (k, v)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        t = self.transformer
        n = input_ids.shape[1]
        old = [None] * len(t.h) if cache is None else cache
        first = nr(old[0])
        where = F.range(first, first + n, out_dim=n, dtype=DType.int64, device=input_ids.device)
        x = t.wte(input_ids) + t.wpe(where)

        log = []
        for block, past in zip(t.h, old):
            y, kv = self._attend(block.attn, block.ln_1(x), past)
            log.append(kv)
            x = x + y
            x = x + block.mlp(block.ln_2(x))

        logits = self.lm_head(t.ln_f(x))
        return logits, tuple(log)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    if not temperature:
        return int(logits.argmax())

    s = np.array(logits, dtype=np.float64)
    s /= temperature

    if top_k is not None and top_k < s.size:
        order = np.argsort(s)
        s[order[:-top_k]] = float("-inf")

    s -= s.max()
    w = np.exp(s)
    point = draw * w.sum()

    total = 0.0
    best = 0
    for i, share in enumerate(w):
        if share > 0:
            best = i
        total += share
        if point < total:
            return i
    return best


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
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    pending = list(text)
    left = max_new_tokens
    while left > 0 and len(text) < model.config.n_positions:
        left -= 1
        with F.lazy():
            if use_cache:
                ids = Tensor([pending], dtype=DType.int64)
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(Tensor([text], dtype=DType.int64))
        row = logits.to_numpy()[0, -1]
        draw = 0.0
        if temperature > 0:
            draw = next(numbers)
        token = next_token(row, temperature=temperature, top_k=top_k, draw=draw)
        pending = [token]
        text.append(token)
        yield token
        if token == eos_token_id:
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
