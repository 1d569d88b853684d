"""Duotou zhuyili: meige tou dandu suan, zuihou dui zai yiqi."""

from __future__ import annotations

import math
from collections.abc import Iterator

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def zhuan(x: Tensor) -> Tensor:
    return x.T


def gen(kuan: int) -> float:
    return math.pow(kuan, 0.5)


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = int(config.n_embd)
        self.num_heads = int(config.n_head)
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, self.embed_dim * 3)
        self.c_proj = Linear(self.embed_dim, self.embed_dim)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Qie cheng kuai, zai die qilai."""
        kuai = F.split(tensor, [attn_head_size for _ in range(num_heads)], axis=-1)
        return F.stack(kuai, axis=1)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Meige tou qu chulai, bingpai fang."""
        kuai = [tensor[:, i] for i in range(num_heads)]
        return F.concat(kuai, axis=-1)

    def _meige_tou(self, q: Tensor, k: Tensor, v: Tensor, zhezhao: Tensor) -> Iterator[Tensor]:
        tou_shu = int(q.shape[1])
        for i in range(1, tou_shu + 1):
            a, b, c = q[:, i - 1], k[:, i - 1], v[:, i - 1]
            fen = a @ zhuan(b)
            fen = fen / gen(int(b.shape[-1])) + zhezhao
            yield F.softmax(fen) @ c

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        chang = query.shape[-2]
        zhezhao = causal_mask(chang, 0, dtype=query.dtype, device=query.device)
        jieguo = list(self._meige_tou(query, key, value, zhezhao))
        return F.stack(jieguo, axis=1)

    def forward(self, hidden_states: Tensor) -> Tensor:
        san = self.c_attn(hidden_states)
        q, k, v = F.split(san, self.split_size, axis=-1)
        canshu = (self.num_heads, self.head_dim)
        chu = self._attn(
            self._split_heads(q, *canshu),
            self._split_heads(k, *canshu),
            self._split_heads(v, *canshu),
        )
        return self.c_proj(self._merge_heads(chu, *canshu))
