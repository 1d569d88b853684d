"""Step 12: text generator. Main loop with explicit state."""

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

NEG_INF = float("-inf")
AXIS_TOKENS = 2
AXIS_LAST = -1


class GPT2WithCache(GPT2LMHeadModel):
    """GPT-2 with a key/value buffer."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        n_batch = hidden_states.shape[0]
        n_new = hidden_states.shape[1]
        width = attn.split_size
        n_old = 0

        qkv = attn.c_attn(hidden_states)
        q = qkv[:, :, 0:width]
        k = qkv[:, :, width : 2 * width]
        v = qkv[:, :, 2 * width : 3 * width]

        shape = [n_batch, n_new, attn.num_heads, attn.head_dim]
        q = q.reshape(shape).transpose(1, 2)
        k = k.reshape(shape).transpose(1, 2)
        v = v.reshape(shape).transpose(1, 2)

        # append to the buffer
        if past is not None:
            k_old, v_old = past
            n_old = k_old.shape[AXIS_TOKENS]
            k = F.concat([k_old, k], axis=AXIS_TOKENS)
            v = F.concat([v_old, v], axis=AXIS_TOKENS)

        if n_new == 1:
            mask = None
        else:
            mask = causal_mask(n_new, n_old, dtype=q.dtype, device=q.device)

        out, _ = scaled_dot_product_attention(q, k, v, mask)
        out = out.transpose(1, 2)
        out = out.reshape([n_batch, n_new, width])
        out = attn.c_proj(out)
        return out, (k, v)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        t = self.transformer
        n_new = input_ids.shape[1]
        start = 0
        if cache is not None:
            start = cache[0][0].shape[AXIS_TOKENS]
        stop = start + n_new

        pos = F.range(start, stop, 1, n_new, dtype=DType.int64, device=input_ids.device)
        h = t.wte(input_ids) + t.wpe(pos)

        new_cache: list[KeyValue] = []
        i = 0
        for block in t.h:
            slot = None
            if cache is not None:
                slot = cache[i]
            a, kv = self._attend(block.attn, block.ln_1(h), slot)
            h = h + a
            m = block.mlp(block.ln_2(h))
            h = h + m
            new_cache.append(kv)
            i += 1

        h = t.ln_f(h)
        logits = self.lm_head(h)
        return logits, tuple(new_cache)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """Select one id."""
    n = len(logits)
    if temperature == 0.0:
        return int(np.argmax(logits))

    s = np.array(logits, dtype=np.float64)
    s /= temperature

    if top_k is not None and top_k < n:
        limit = np.partition(s, n - top_k)[n - top_k]
        for i in range(n):
            if s[i] < limit:
                s[i] = NEG_INF

    p = np.exp(s - s.max())
    p /= p.sum()

    # walk through the shares until the accumulator passes draw
    acc = 0.0
    last = 0
    for i in range(n):
        if p[i] == 0.0:
            continue
        acc += p[i]
        last = i
        if draw < acc:
            return i
    return last  # rounding: acc stayed a little below 1


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
    """Main loop: feed, select, emit."""
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None

    n_fed = 0  # tokens that the buffer holds
    n_out = 0  # tokens that were emitted
    running = True
    while running and n_out < max_new_tokens and len(text) < model.config.n_positions:
        ids = Tensor([text[n_fed:]], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)
        if use_cache:
            n_fed = len(text)

        draw = 0.0
        if temperature != 0.0:
            draw = next(numbers)

        row = logits.to_numpy()[0][-1]
        token = next_token(row, temperature=temperature, top_k=top_k, draw=draw)
        text.append(token)
        n_out += 1
        yield token
        if token == eos_token_id:
            running = False


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
    """The whole text, old and new."""
    out = list(tokens)
    for token in stream(
        model,
        tokens,
        max_new_tokens,
        temperature=temperature,
        top_k=top_k,
        eos_token_id=eos_token_id,
        use_cache=use_cache,
        draws=draws,
    ):
        out.append(token)
    return out
