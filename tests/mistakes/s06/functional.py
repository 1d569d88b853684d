"""RoPE, functional style."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    """Rotates neighbouring pairs of features."""

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        inv_freq = 1.0 / theta ** (np.arange(0, d_k, 2) / d_k)
        phase = np.arange(max_seq_len)[:, None] * inv_freq[None, :]
        self.cos, self.sin = (fn(phase).astype(np.float32) for fn in (np.cos, np.sin))

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        as_tensor = lambda table: Tensor(table, dtype=x.dtype, device=x.device)
        rows = lambda table: F.gather(as_tensor(table), token_positions, axis=0)
        cos, sin = rows(self.cos), rows(self.sin)
        pairs = x.reshape(x.shape[:-1] + [int(x.shape[-1]) // 2, 2])
        re, im = pairs[..., 0], pairs[..., 1]
        new_re = re * cos - im * sin
        new_im = im * cos + re * sin
        return F.stack([new_re, new_im], axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    """Causal self-attention with rotary positions."""

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_head, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.reshape([*x.shape[:-1], self.num_heads, self.d_head]).transpose(-2, -3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        *lead, heads, seq, width = x.shape
        return x.transpose(-2, -3).reshape([*lead, seq, self.d_model])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        dense = lambda x, w: x @ w.transpose(0, 1)
        project = lambda w: self._split_heads(dense(in_features, w))
        rotate = lambda heads: self.rope(heads, F.unsqueeze(token_positions, -2))
        q = rotate(project(q_proj_weight))
        k = rotate(project(k_proj_weight))
        v = project(v_proj_weight)
        mask = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        context, _ = scaled_dot_product_attention(q, k, v, mask)
        return dense(self._merge_heads(context), o_proj_weight)
