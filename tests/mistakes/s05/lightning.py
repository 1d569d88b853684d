"""Step 05, ported from my LightningModule."""

from __future__ import annotations

import max.experimental.functional as F
from max.experimental import nn
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def view(x: Tensor, *sizes) -> Tensor:
    """x.view(...); MAX copies when it must, so no .contiguous()."""
    return x.reshape(list(sizes))


class GPT2Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        # hparams
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.scale = self.head_dim**-0.5
        # layers
        self.c_attn = nn.Linear(config.n_embd, config.n_embd * 3, bias=True)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states: Tensor) -> Tensor:
        q, k, v = self._qkv(hidden_states)
        y = self._attn(q, k, v)
        y = self._merge_heads(y, self.num_heads, self.head_dim)
        y = self.c_proj(y)
        return y

    def _qkv(self, x: Tensor):
        """Three tensors (B, H, T, D)."""
        qkv = self.c_attn(x)
        parts = F.chunk(qkv, 3, axis=-1)
        return [self._split_heads(p, self.num_heads, self.head_dim) for p in parts]

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        B, T, _ = tensor.shape
        tensor = view(tensor, B, T, num_heads, attn_head_size)
        return tensor.permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        B, _, T, _ = tensor.shape
        tensor = tensor.permute([0, 2, 1, 3])
        return view(tensor, B, T, num_heads * attn_head_size)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        T = query.shape[2]
        query = query * self.scale
        att = F.matmul(query, key.permute([0, 1, 3, 2]))
        att = att + causal_mask(T, 0, dtype=att.dtype, device=att.device)
        att = F.softmax(att, axis=-1)
        return F.matmul(att, value)
