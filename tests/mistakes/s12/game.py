"""A storyteller: every turn it remembers the past, rolls the dice and says one token."""

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


class GPT2WithCache(GPT2LMHeadModel):
    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]

        def party(part: Tensor) -> Tensor:
            return part.reshape(heads).transpose(-3, -2)

        mixed = attn.c_attn(hidden_states)
        query, key, value = map(party, F.split(mixed, [attn.embed_dim] * 3, axis=-1))

        turns_before = 0
        if past is not None:
            turns_before = past[0].shape[-2]
            key, value = (
                F.concat([saved, new], axis=-2) for saved, new in zip(past, (key, value))
            )

        turns = hidden_states.shape[-2]
        fog = None
        if turns != 1:
            fog = causal_mask(turns, turns_before, dtype=query.dtype, device=query.device)

        seen = scaled_dot_product_attention(query, key, value, fog)[0]
        merged = seen.transpose(-3, -2).reshape(hidden_states.shape)
        return attn.c_proj(merged), (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        world = self.transformer
        turns = input_ids.shape[-1]
        clock = cache[0][0].shape[-2] if cache is not None else 0
        times = F.range(
            clock, clock + turns, out_dim=turns, dtype=DType.int64, device=input_ids.device
        )
        state = world.wte(input_ids) + world.wpe(times)

        saves: list[KeyValue] = []
        for level, block in enumerate(world.h):
            save = cache[level] if cache is not None else None
            gain, new_save = self._attend(block.attn, block.ln_1(state), save)
            state = state + gain
            state = state + block.mlp(block.ln_2(state))
            saves.append(new_save)

        state = world.ln_f(state)
        return self.lm_head(state), tuple(saves)


def loot_table(
    logits: npt.NDArray[np.floating], temperature: float, top_k: int | None
) -> npt.NDArray[np.float64]:
    """Drop chance of every token."""
    scores = logits.astype(np.float64) / temperature
    if top_k is not None:
        keep = min(top_k, scores.shape[0])
        cutoff = np.partition(scores, -keep)[-keep]
        scores = np.where(scores >= cutoff, scores, -np.inf)
    chances = np.exp(scores - scores.max())
    return chances / chances.sum()


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    if temperature == 0.0:
        return int(np.argmax(logits))
    chances = loot_table(logits, temperature, top_k)
    ends = chances.cumsum()
    ends = ends / ends[-1]
    return int((ends <= draw).sum())


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

    def think(cache: Cache | None) -> tuple[Tensor, Cache | None]:
        feed = text if cache is None else text[-1:]
        ids = Tensor([feed], dtype=DType.int64)
        with F.lazy():
            if not use_cache:
                return model(ids), None
            return model.decode(ids, cache)

    budget = model.config.n_positions - len(tokens)
    for turn in range(max_new_tokens):
        if turn >= budget:
            return
        logits, cache = think(cache)
        last = logits.to_numpy()[0, -1, :]
        dice = next(numbers) if temperature != 0 else 0.0
        choice = next_token(last, temperature=temperature, top_k=top_k, draw=dice)
        text.append(choice)
        yield choice
        if eos_token_id is not None and choice == eos_token_id:
            return


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
