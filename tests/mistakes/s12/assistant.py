"""Autoregressive text generation with a KV cache."""

from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_11 import GPT2LMHeadModel


class GPT2WithCache(GPT2LMHeadModel):
    """GPT-2 with incremental decoding."""

    def _project_heads(self, attn, hidden_states: Tensor) -> list[Tensor]:
        """Query, key and value, each [batch, heads, seq, head_dim]."""
        batch, seq_len = hidden_states.shape[0], hidden_states.shape[1]
        qkv = attn.c_attn(hidden_states)
        parts = F.split(qkv, [attn.embed_dim, attn.embed_dim, attn.embed_dim], axis=-1)
        result = []
        for part in parts:
            part = part.reshape([batch, seq_len, attn.num_heads, attn.head_dim])
            result.append(part.transpose(1, 2))
        return result

    def _attend(self, attn, hidden_states: Tensor, past):
        """Attention over the cached and the new tokens."""
        query, key, value = self._project_heads(attn, hidden_states)
        # Extend with the cache
        past_length = 0
        if past is not None:
            past_key, past_value = past
            past_length = past_key.shape[2]
            key = F.concat([past_key, key], axis=2)
            value = F.concat([past_value, value], axis=2)
        # Causal mask
        mask = causal_mask(query.shape[2], past_length, dtype=query.dtype, device=query.device)
        # Attention
        context, _weights = scaled_dot_product_attention(query, key, value, mask)
        merged = context.transpose(1, 2).reshape(hidden_states.shape)
        return attn.c_proj(merged), (key, value)

    def _positions(self, input_ids: Tensor, cache) -> Tensor:
        """Absolute positions of the new tokens."""
        start = 0
        if cache is not None:
            start = int(cache[0][0].shape[2])
        stop = start + int(input_ids.shape[1])
        return F.range(start, stop, dtype=DType.int64, device=input_ids.device)

    def decode(self, input_ids: Tensor, cache=None):
        """Logits of the new tokens and the updated cache."""
        model = self.transformer
        positions = self._positions(input_ids, cache)
        hidden_states = model.wte(input_ids) + model.wpe(positions)
        new_cache = []
        for layer_index, block in enumerate(model.h):
            layer_past = cache[layer_index] if cache is not None else None
            normalized = block.ln_1(hidden_states)
            attention_output, layer_cache = self._attend(block.attn, normalized, layer_past)
            hidden_states = hidden_states + attention_output
            hidden_states = hidden_states + block.mlp(block.ln_2(hidden_states))
            new_cache.append(layer_cache)
        logits = self.lm_head(model.ln_f(hidden_states))
        return logits, tuple(new_cache)


def _keep_top_k(scores, top_k):
    """Set all but the best scores to minus infinity."""
    top_k = min(top_k, scores.size)
    threshold = np.sort(scores)[-top_k]
    return np.where(scores >= threshold, scores, -np.inf)


def _softmax(scores):
    """Numerically stable softmax."""
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum()


def next_token(logits, *, temperature=0.0, top_k=None, draw=0.0):
    """Pick the next token."""
    # Greedy decoding
    if temperature == 0.0:
        return int(np.argmax(logits))
    # Temperature
    scores = np.asarray(logits, dtype=np.float64) / temperature
    # Top-k
    if top_k is not None:
        scores = _keep_top_k(scores, top_k)
    # Sample
    probabilities = _softmax(scores)
    cumulative = np.cumsum(probabilities)
    cumulative = cumulative / cumulative[-1]
    return int(np.searchsorted(cumulative, draw, side="right"))


def stream(
    model,
    tokens,
    max_new_tokens,
    *,
    temperature=0.0,
    top_k=None,
    eos_token_id=None,
    use_cache=True,
    draws=None,
):
    """Yield new tokens one by one."""
    if draws is None:
        generator = np.random.default_rng()
        draws = iter(generator.random, None)
    else:
        draws = iter(draws)
    sequence = list(tokens)
    cache = None
    generated = 0
    while generated < max_new_tokens and len(sequence) < model.config.n_positions:
        # Forward pass
        if use_cache:
            new_tokens = sequence if cache is None else [sequence[-1]]
            input_ids = Tensor([new_tokens], dtype=DType.int64)
            with F.lazy():
                logits, cache = model.decode(input_ids, cache)
        else:
            input_ids = Tensor([sequence], dtype=DType.int64)
            with F.lazy():
                logits = model(input_ids)
        # Choose
        last_logits = logits.to_numpy()[0, -1]
        draw = 0.0 if temperature == 0 else next(draws)
        token = next_token(last_logits, temperature=temperature, top_k=top_k, draw=draw)
        sequence.append(token)
        generated += 1
        yield token
        if eos_token_id is not None and token == eos_token_id:
            return


def generate(model, tokens, max_new_tokens, **options):
    """Return the prompt followed by the generated tokens."""
    result = list(tokens)
    for token in stream(model, tokens, max_new_tokens, **options):
        result.append(token)
    return result
