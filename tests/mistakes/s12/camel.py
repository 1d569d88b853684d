"""Writing text, with immutable state: every step makes a new text and a new cache."""

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


def length_of(past: KeyValue | None):
    """Tokens in a pair of keys and values."""
    match past:
        case None:
            return 0
        case (key, _):
            return key.shape[-2]


def append(past: KeyValue | None, key: Tensor, value: Tensor) -> KeyValue:
    """A new pair: the old tokens, then the new ones."""
    match past:
        case None:
            return key, value
        case (old_key, old_value):
            return F.concat([old_key, key], axis=-2), F.concat([old_value, value], axis=-2)


class GPT2WithCache(GPT2LMHeadModel):
    """The GPT-2 of step 11, and a decode that continues."""

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        batch, seq, width = hidden_states.shape

        def heads(part: Tensor) -> Tensor:
            return part.reshape([batch, seq, attn.num_heads, attn.head_dim]).permute([0, 2, 1, 3])

        sizes = [attn.split_size] * 3
        query, new_key, new_value = map(heads, F.split(attn.c_attn(hidden_states), sizes, axis=-1))
        key, value = append(past, new_key, new_value)
        mask = (
            None
            if seq == 1
            else causal_mask(seq, length_of(past), dtype=query.dtype, device=query.device)
        )
        mixed, _ = scaled_dot_product_attention(query, key, value, mask)
        merged = mixed.permute([0, 2, 1, 3]).reshape([batch, seq, width])
        return attn.c_proj(merged), (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        body = self.transformer
        blocks = list(body.h)
        pasts = [None] * len(blocks) if cache is None else list(cache)
        start, seq = length_of(pasts[0]), input_ids.shape[-1]
        places = F.range(
            start, start + seq, out_dim=seq, dtype=DType.int64, device=input_ids.device
        )

        def fold(state: Tensor, todo, grown: Cache) -> tuple[Tensor, Cache]:
            match todo:
                case []:
                    return state, grown
                case [(block, past), *rest]:
                    seen, pair = self._attend(block.attn, block.ln_1(state), past)
                    middle = state + seen
                    return fold(middle + block.mlp(block.ln_2(middle)), rest, (*grown, pair))

        embedded = body.wte(input_ids) + body.wpe(places)
        final, grown = fold(embedded, list(zip(blocks, pasts, strict=True)), ())
        return self.lm_head(body.ln_f(final)), grown


def keep_best(scores: npt.NDArray[np.float64], top_k: int | None) -> npt.NDArray[np.float64]:
    """The scores, with -inf for all that are not among the best."""
    match top_k:
        case None:
            return scores
        case k if k >= len(scores):
            return scores
        case k:
            lowest = np.sort(scores)[-k]
            return np.where(scores >= lowest, scores, -np.inf)


def softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    if temperature == 0:
        return int(logits.argmax())
    tempered = logits.astype(np.float64) / temperature
    probabilities = softmax(keep_best(tempered, top_k))
    ends = probabilities.cumsum()
    return int(np.searchsorted(ends / ends[-1], draw, side="right"))


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

    def scores(text: tuple[int, ...], cache: Cache | None):
        fed = text if cache is None else text[-1:]
        ids = Tensor([list(fed)], dtype=DType.int64)
        with F.lazy():
            logits, new_cache = model.decode(ids, cache) if use_cache else (model(ids), None)
        return logits.to_numpy()[0, -1], new_cache

    def write(text: tuple[int, ...], cache: Cache | None, left: int) -> Iterator[int]:
        if left <= 0:
            return
        row, new_cache = scores(text, cache)
        draw = 0.0 if temperature == 0 else next(numbers)
        token = next_token(row, temperature=temperature, top_k=top_k, draw=draw)
        yield token
        if token != eos_token_id:
            yield from write((*text, token), new_cache, left - 1)

    room = model.config.n_positions - len(tokens)
    yield from write(tuple(tokens), None, min(max_new_tokens, room))


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
    options = {
        "temperature": temperature,
        "top_k": top_k,
        "eos_token_id": eos_token_id,
        "use_cache": use_cache,
        "draws": draws,
    }
    return [*tokens, *stream(model, tokens, max_new_tokens, **options)]
