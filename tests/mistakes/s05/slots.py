"""GPT-2 attention. Fixed slots, plain loops, no surprises."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

N_PARTS = 3  # query, key, value


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.embed_dim = width
        self.split_size = width
        self.num_heads = config.n_head
        self.head_dim = width // config.n_head
        self.c_attn = Linear(width, N_PARTS * width, bias=True)
        self.c_proj = Linear(width, width, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        slots = [0] * num_heads
        for h in range(num_heads):
            lo = h * attn_head_size
            hi = lo + attn_head_size
            slots[h] = tensor[..., lo:hi]  # [batch, seq, head_dim]
        return F.stack(slots, axis=1)  # [batch, n_head, seq, head_dim]

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        row = [0] * num_heads
        for h in range(num_heads):
            row[h] = tensor[:, h]  # [batch, seq, head_dim]
        return F.concat(row, axis=-1)  # [batch, seq, n_embd]

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        seq = int(query.shape[-2])
        width = int(query.shape[-1])
        gain = 1.0 / math.sqrt(width)

        acc = F.matmul(query, key.transpose(-1, -2))
        acc *= gain
        mask = causal_mask(seq, 0, dtype=acc.dtype, device=acc.device)
        acc += mask
        acc = F.softmax(acc, axis=-1)
        return F.matmul(acc, value)

    def forward(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        part = list(F.chunk(qkv, N_PARTS, axis=-1))
        for i in range(N_PARTS):
            part[i] = self._split_heads(part[i], self.num_heads, self.head_dim)

        out = self._attn(part[0], part[1], part[2])
        out = self._merge_heads(out, self.num_heads, self.head_dim)
        return self.c_proj(out)
