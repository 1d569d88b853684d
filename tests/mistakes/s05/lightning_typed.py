"""Step 05: multi-head attention.

Layout as in our LightningModules: types first, then building blocks, ``forward`` at the end.
"""

from __future__ import annotations

from typing import NamedTuple

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class QKV(NamedTuple):
    """What attention works on. All three have the same shape."""

    q: Tensor
    k: Tensor
    v: Tensor


class HeadLayout(NamedTuple):
    """How a vector is cut into heads."""

    count: int
    width: int

    @property
    def total(self) -> int:
        return self.count * self.width


class GPT2Attention(Module):
    """Causal multi-head self-attention, parameters named as on the Hugging Face hub."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim: int = config.n_embd
        self.num_heads: int = config.n_head
        self.head_dim: int = config.n_embd // config.n_head
        self.split_size: int = config.n_embd
        self.scale: float = self.head_dim**-0.5

        self.c_attn = Linear(self.embed_dim, 3 * self.split_size)
        self.c_proj = Linear(self.embed_dim, self.embed_dim)

    def _qkv(self, hidden_states: Tensor) -> QKV:
        """Project once, cut into three, cut each into heads."""
        packed: Tensor = self.c_attn(hidden_states)  # [B, T, 3C]
        parts: list[Tensor] = packed.split(self.split_size, axis=-1)
        heads = (self._split_heads(p, self.num_heads, self.head_dim) for p in parts)
        return QKV(*heads)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """[B, T, C] -> [B, H, T, D]"""
        layout = HeadLayout(count=num_heads, width=attn_head_size)
        batch, steps, _ = tensor.shape
        return tensor.reshape([batch, steps, layout.count, layout.width]).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """[B, H, T, D] -> [B, T, C]"""
        layout = HeadLayout(count=num_heads, width=attn_head_size)
        batch, _, steps, _ = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([batch, steps, layout.total])

    def _logits(self, q: Tensor, k: Tensor) -> Tensor:
        """Scaled scores with the future hidden: [B, H, T, T]"""
        steps = q.shape[2]
        raw: Tensor = q @ k.transpose(2, 3)
        future: Tensor = causal_mask(steps, 0, dtype=q.dtype, device=q.device)
        return raw * self.scale + future

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """[B, H, T, D] three times -> [B, H, T, D]"""
        probs: Tensor = F.softmax(self._logits(query, key), axis=-1)
        return probs @ value

    def forward(self, hidden_states: Tensor) -> Tensor:
        """[B, T, C] -> [B, T, C]"""
        qkv = self._qkv(hidden_states)
        context: Tensor = self._attn(qkv.q, qkv.k, qkv.v)
        merged: Tensor = self._merge_heads(context, self.num_heads, self.head_dim)
        return self.c_proj(merged)
