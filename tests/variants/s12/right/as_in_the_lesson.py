"""Step 12: generating text.

The model scores every token of the vocabulary as the next one. Writing is to choose one, put it
behind the text, and ask again. This step chooses, loops, and keeps the keys and values of all
tokens so far, so that every new token costs one token's work.

Tasks:
    1. Import functional as F and Tensor.
    2. Let GPT-2's attention attend to cached keys and values.
    3. Run the model on new tokens only, and return the grown cache.
    4. Choose the likeliest token.
    5. Or turn the best scores into probabilities, and draw from them.
    6. Generate: feed the new tokens, choose, append, and know when to stop.

Run: pixi run s12
"""

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
"""Keys and values of one block, each ``[batch, n_head, total, head_dim]``."""

Cache = tuple[KeyValue, ...]
"""Keys and values of all blocks, in order."""


class GPT2WithCache(GPT2LMHeadModel):
    """The GPT-2 of step 11, which can also go on from where it stopped.

    It has no weights of its own. ``model(tokens)`` is what it was; :meth:`decode` is new.
    """

    def _attend(
        self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        """What ``attn`` does, for new tokens that also see the cached ones.

        Args:
            attn: The attention of one block. Its two projections are used.
            hidden_states: The new tokens, ``[batch, seq, n_embd]``.
            past: Keys and values of the tokens before them, each
                ``[batch, n_head, past, head_dim]``; None where there are none.

        Returns:
            The output ``[batch, seq, n_embd]``, and keys and values of all ``past + seq`` tokens.
        """
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]
        query, key, value = (  # each [batch, n_head, seq, head_dim]
            part.reshape(heads).transpose(-3, -2)
            for part in F.split(attn.c_attn(hidden_states), [attn.embed_dim] * 3, axis=-1)
        )

        if past is not None:
            key = F.concat([past[0], key], axis=-2)  # [batch, n_head, past + seq, head_dim]
            value = F.concat([past[1], value], axis=-2)  # [batch, n_head, past + seq, head_dim]

        mask = None
        seq_len = query.shape[-2]
        if seq_len != 1:
            cached = 0 if past is None else past[0].shape[-2]
            mask = causal_mask(seq_len, cached, dtype=query.dtype, device=query.device)

        output, _ = scaled_dot_product_attention(query, key, value, mask)
        output = output.transpose(-3, -2).reshape(hidden_states.shape)  # [batch, seq, n_embd]
        output = attn.c_proj(output)  # [batch, seq, n_embd]
        return output, (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read new tokens behind those in the cache.

        Args:
            input_ids: The new tokens, integers ``[batch, seq]``.
            cache: What an earlier call returned; None at the beginning of a text.

        Returns:
            The logits of the new tokens, ``[batch, seq, vocab_size]``, and the cache, grown by
            ``seq`` tokens.
        """
        transformer = self.transformer
        past = 0 if cache is None else cache[0][0].shape[-2]
        seq_len = input_ids.shape[-1]
        positions = F.range(  # [seq]
            past, past + seq_len, out_dim=seq_len, dtype=DType.int64, device=input_ids.device
        )
        hidden_states = transformer.wte(input_ids) + transformer.wpe(positions)

        grown = []
        for index, block in enumerate(transformer.h):
            attended, key_value = self._attend(
                block.attn, block.ln_1(hidden_states), None if cache is None else cache[index]
            )
            hidden_states = hidden_states + attended  # [batch, seq, n_embd]
            hidden_states = hidden_states + block.mlp(block.ln_2(hidden_states))
            grown.append(key_value)

        return self.lm_head(transformer.ln_f(hidden_states)), tuple(grown)


def next_token(
    logits: npt.NDArray[np.floating],
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    draw: float = 0.0,
) -> int:
    """Choose the next token.

    Args:
        logits: The score of every token, ``[vocab_size]``.
        temperature: 0 takes the likeliest token. Otherwise the logits are divided by it: below 1
            the likely get likelier, above 1 the choice gets wilder.
        top_k: How many of the best tokens may be drawn; None allows all.
        draw: A random number, at least 0 and below 1. The tokens share the numbers from 0 to 1
            among them in the order of their ids, each as much as it is probable; ``draw`` falls
            into the share of the token that is chosen.

    Returns:
        The id of the token.
    """
    if temperature == 0:
        return int(np.argmax(logits))

    scores = logits.astype(np.float64) / temperature  # [vocab_size]

    if top_k is not None:
        lowest = np.sort(scores)[-min(top_k, len(scores))]
        scores[scores < lowest] = -np.inf

    shares = np.exp(scores - np.max(scores))  # [vocab_size]
    probabilities = shares / shares.sum()  # [vocab_size]

    ends = np.cumsum(probabilities)  # [vocab_size]
    passed = np.searchsorted(ends / ends[-1], draw, side="right")
    return int(passed)


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
    """Write behind ``tokens``, and give every new token as soon as it is chosen.

    The text ends after ``max_new_tokens`` new tokens, after ``eos_token_id``, which is given as
    well, or when ``tokens`` and new tokens together are ``model.config.n_positions`` long.

    Args:
        model: The model, or anything with its ``config``, its call and its ``decode``.
        tokens: The text to go on with, at least one token.
        max_new_tokens: How many tokens to generate at most.
        temperature: See :func:`next_token`.
        top_k: See :func:`next_token`.
        eos_token_id: The token that ends a text; None goes on for ever.
        use_cache: Feed every token once, with :meth:`GPT2WithCache.decode`. Otherwise the model
            reads the whole text again for every token.
        draws: Random numbers, at least 0 and below 1, one for each new token. Only used at a
            temperature above 0. None draws fresh ones.

    Yields:
        The ids of the new tokens.
    """
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    cache: Cache | None = None
    for _ in range(min(max_new_tokens, model.config.n_positions - len(text))):
        new = text[-1:] if cache is not None else text
        ids = Tensor([new], dtype=DType.int64)  # [1, seq]
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)  # [1, seq, vocab_size]
        token = next_token(
            logits.to_numpy()[0, -1],
            temperature=temperature,
            top_k=top_k,
            draw=next(numbers) if temperature else 0.0,
        )
        text.append(token)
        yield token
        if token == eos_token_id:
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
    """Write behind ``tokens``, and return the whole text: see :func:`stream`."""
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
