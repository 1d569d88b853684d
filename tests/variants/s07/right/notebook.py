from __future__ import annotations

import numpy as np
from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike
from solutions.solution_01 import GPT2Config


def softmax(s):
    e = F.exp(s - F.max(s, axis=-1))  # max keeps the axis
    return e / F.sum(e, axis=-1)


def causal_mask(sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device):
    t, past = int(Dim(sequence_length)), int(Dim(num_tokens))
    m = np.triu(np.full((t, past + t), -np.inf), k=past + 1)
    return Tensor(m.tolist(), dtype=dtype, device=device)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        d, h = config.n_embd, config.n_head
        self.embed_dim = self.split_size = d
        self.num_heads, self.head_dim = h, d // h
        self.c_attn, self.c_proj = Linear(d, 3 * d), Linear(d, d)

    # (b, t, d) -> (b, h, t, k)
    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        b, t, _ = tensor.shape
        return tensor.reshape([b, t, num_heads, attn_head_size]).permute([0, 2, 1, 3])

    # (b, h, t, k) -> (b, t, d)
    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        b, h, t, k = tensor.shape
        return tensor.permute([0, 2, 1, 3]).reshape([b, t, h * k])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        t, k = [int(n) for n in query.shape[-2:]]
        m = causal_mask(t, 0, dtype=query.dtype, device=query.device)
        w = softmax((query / np.sqrt(k).item()) @ key.permute([0, 1, 3, 2]) + m)
        # print(w.to_numpy()[0, 0].round(2))
        return w @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        x, n = self.c_attn(hidden_states), self.split_size
        # print("qkv", x.shape)
        q, k, v = (
            self._split_heads(x[:, :, i * n : (i + 1) * n], self.num_heads, self.head_dim)
            for i in range(3)
        )
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
