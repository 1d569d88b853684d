"""Multi-head attention. Shapes are written as in einops: b t d, b h t k."""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """Additive mask, t s."""
    t = Dim(sequence_length)
    s = t + num_tokens
    filled = F.broadcast_to(Tensor(-math.inf, dtype=dtype, device=device), [t, s])
    return F.band_part(filled, num_upper=int(Dim(num_tokens)), exclude=True)


class GPT2MultiHeadAttention(Module):
    """Everything is declared in setup, as in Flax."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.setup(config)

    def setup(self, cfg: GPT2Config) -> None:
        features, heads = cfg.n_embd, cfg.n_head
        self.embed_dim, self.split_size = features, features
        self.num_heads = heads
        self.head_dim = features // heads
        self.c_attn = Linear(features, 3 * features)
        self.c_proj = Linear(features, features)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        # b t (h k) -> b h t k
        b, t, _ = tensor.shape
        split = tensor.reshape([b, t, num_heads, attn_head_size])
        return split.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        # b h t k -> b t (h k)
        b, _, t, _ = tensor.shape
        swapped = tensor.permute([0, 2, 1, 3])
        return swapped.reshape([b, t, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # b h t k, b h s k, b h s k -> b h t k
        t, k = query.shape[-2], int(query.shape[-1])
        bias = causal_mask(t, 0, dtype=query.dtype, device=query.device)
        scaled = query * k**-0.5
        logits = scaled @ key.transpose(-2, -1)
        probs = F.softmax(logits + bias, axis=-1)
        return probs @ value

    def forward(self, hidden_states: Tensor) -> Tensor:
        d = self.split_size
        projected = self.c_attn(hidden_states)
        q, k, v = F.split(projected, [d, d, d], axis=-1)
        n, size = self.num_heads, self.head_dim
        q = self._split_heads(q, n, size)
        k = self._split_heads(k, n, size)
        v = self._split_heads(v, n, size)
        mixed = self._attn(q, k, v)
        merged = self._merge_heads(mixed, n, size)
        return self.c_proj(merged)
