"""Package step05: multi-head attention. One head at a time, explicit is better."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(in_dim=self.embed_dim, out_dim=3 * self.embed_dim, bias=True)
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        heads: list[Tensor] = []
        for i in range(num_heads):
            lo = i * attn_head_size
            hi = lo + attn_head_size
            heads.append(tensor[:, :, lo:hi])
        return F.stack(heads, axis=1)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        parts: list[Tensor] = []
        for i in range(num_heads):
            part = tensor[:, i]
            parts.append(part)
        return F.concat(parts, axis=-1)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        n = query.shape[-2]
        d = int(key.shape[-1])
        scale = 1.0 / math.sqrt(d)
        keyT = F.transpose(key, -2, -1)
        scores = F.matmul(query, keyT) * scale
        mask = causal_mask(n, 0, dtype=query.dtype, device=query.device)
        scores += mask
        # softmax by hand, so that I see what happens
        peak = scores.max(axis=-1)
        exps = F.exp(scores - peak)
        total = exps.sum(axis=-1)
        probs = exps / total
        return F.matmul(probs, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        w = self.split_size
        q = qkv[:, :, :w]
        k = qkv[:, :, w : 2 * w]
        v = qkv[:, :, 2 * w :]
        h, d = self.num_heads, self.head_dim
        qh = self._split_heads(q, h, d)
        kh = self._split_heads(k, h, d)
        vh = self._split_heads(v, h, d)
        ctx = self._attn(qh, kh, vh)
        out = self._merge_heads(ctx, h, d)
        return self.c_proj(out)
