"""Step 12: generating text.

The model scores every token of the vocabulary as the next one. To generate is to choose one,
append it to the text, and ask again. This step chooses, loops, and keeps the keys and values of
all tokens so far, so that every new token costs one token's work. It is the longest file of the
course, because choosing, reading with a cache and generating need each other.

Tasks:
    1. Import functional as F and Tensor.
    2. Let GPT-2's attention attend to cached keys and values.
    3. Run the model on new tokens only, and return the grown cache.
    4. Choose the likeliest token.
    5. Or turn the best scores into probabilities, and draw from them.
    6. Generate: feed the new tokens, choose, append, and know when to stop.

Run: ./pixiw run s12
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from max.dtype import DType

# TODO: Import functional (as F) and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Tensor lives in max.experimental.tensor.

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel

KeyValue = tuple[Tensor, Tensor]
"""Keys and values of one block, each ``[batch, n_head, total, head_dim]``."""

Cache = tuple[KeyValue, ...]
"""Keys and values of all blocks, in order."""


class GPT2WithCache(GPT2LMHeadModel):
    """The GPT-2 of step 11, which can also continue where it stopped.

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
                ``[batch, n_head, past, head_dim]``; None if there are none.

        Returns:
            The output ``[batch, seq, n_embd]``, and keys and values of all ``past + seq`` tokens.
        """
        heads = hidden_states.shape[:-1] + [attn.num_heads, attn.head_dim]
        # TODO: Project with attn.c_attn, take query, key and value apart, and split their heads.
        # Hint: F.split as in step 05: each part is attn.split_size wide.
        # Hint: part.reshape(heads).transpose(-3, -2) splits the heads of one part.
        query, key, value = None, None, None

        # TODO: Put the cached keys and values, if any, in front of the new ones.
        # Hint: F.concat([old, new], axis=-2)
        pass

        # TODO: Make the causal mask. A single new token needs none: it may attend to everything.
        # Hint: causal_mask(seq_len, number of cached tokens, dtype=..., device=...)
        mask = None

        # TODO: Attend, merge the heads, and project with attn.c_proj.
        # Hint: scaled_dot_product_attention(query, key, value, mask) returns output and weights.
        output = None
        return output, (key, value)

    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Read new tokens that follow those in the cache.

        Args:
            input_ids: The new tokens, integers ``[batch, seq]``.
            cache: What an earlier call returned; None at the beginning of a text.

        Returns:
            The logits of the new tokens, ``[batch, seq, vocab_size]``, and the cache, grown by
            ``seq`` tokens.
        """
        transformer = self.transformer
        # TODO: Add the vectors of the new tokens and of their positions in the whole text.
        # Hint: Their positions continue where the cache ends: past, past + 1, …
        # Hint: F.range makes them, as in step 11, on the device of the ids.
        # Hint: The first block's keys, cache[0][0], are [batch, n_head, past, head_dim].
        hidden_states = None

        # TODO: Run the blocks: attention with the block's cache, then the feed-forward network.
        # Hint: Both read a normalized copy, both are added, as in step 09.
        # Hint: Collect the keys and values of every block for the new cache.
        grown = []

        # TODO: Normalize, and return the logits and the new cache.
        # Hint: transformer.ln_f, then self.lm_head
        return None, None


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
        draw: A random number, at least 0 and below 1. Each token has a share of the numbers
            from 0 to 1, as large as its probability, in the order of the ids; ``draw`` falls into
            the share of the token that is chosen.

    Returns:
        The id of the token.
    """
    # TODO: At temperature 0, return the token with the highest score.
    # Hint: np.argmax, and int() around it
    pass

    # TODO: Divide the logits by the temperature.
    # Hint: Make them float64 first: logits.astype(np.float64)
    scores = None

    # TODO: If top_k is given, set every score below the best top_k to -inf.
    # Hint: np.sort(scores)[-top_k] is the lowest score that may stay.
    # Hint: top_k may be larger than the vocabulary: min(top_k, len(scores)).
    pass

    # TODO: Turn the scores into probabilities: softmax.
    # Hint: Subtract the largest score first, so that np.exp does not overflow.
    probabilities = None

    # TODO: Find the token into whose share of 0 to 1 the number draw falls.
    # Hint: np.cumsum(probabilities) holds the upper end of every share.
    # Hint: np.searchsorted(ends, draw, side="right") counts the ends that draw has passed.
    return None


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
    """Continue ``tokens``, and yield every new token as soon as it is chosen.

    The text ends after ``max_new_tokens`` new tokens, after ``eos_token_id``, which is yielded as
    well, or when ``tokens`` and new tokens together are ``model.config.n_positions`` long.

    Args:
        model: The model, or anything with its ``config``, its call and its ``decode``.
        tokens: The text to continue, at least one token.
        max_new_tokens: How many tokens to generate at most.
        temperature: See :func:`next_token`.
        top_k: See :func:`next_token`.
        eos_token_id: The token that ends a text; None never stops early.
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
    # TODO: As long as there is room, get logits, choose a token, append it and yield it.
    # Hint: With a cache, the first call feeds the whole text, each later one the last token.
    # Hint: Tensor([new], dtype=DType.int64) is a batch of one text.
    # Hint: "with F.lazy():" around the model's call, and around nothing else, makes it one graph.
    # Hint: That is much faster than one operation after another.
    # Hint: logits.to_numpy()[0, -1] are the scores of the next token.
    # Hint: next(numbers) is a random number. Take one only if the temperature is not 0.
    yield from ()  # Replace this line.


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
