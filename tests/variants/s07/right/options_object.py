"""Multi-head attention, small helpers first and the module last."""

from __future__ import annotations

import math
from dataclasses import dataclass

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@dataclass(frozen=True)
class HeadOptions:
    """type HeadOptions = { count: number; width: number }"""

    count: int
    width: int


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """-Infinity where a token must not look, 0 elsewhere."""
    columns = Dim(num_tokens) + sequence_length
    minusInfinity = Tensor(-math.inf, dtype=dtype, device=device)
    blocked = F.broadcast_to(minusInfinity, [sequence_length, columns])
    bandOptions = {"num_lower": None, "num_upper": int(Dim(num_tokens)), "exclude": True}
    return F.band_part(blocked, **bandOptions)


def splitIntoHeads(x: Tensor, options: HeadOptions) -> Tensor:
    *rest, _ = x.shape
    cut = x.reshape([*rest, options.count, options.width])
    return cut.transpose(-2, -3)


def joinHeads(x: Tensor, options: HeadOptions) -> Tensor:
    bySequence = x.transpose(-2, -3)
    *rest, _, _ = bySequence.shape
    return bySequence.reshape([*rest, options.count * options.width])


def scaleFor(query: Tensor) -> float:
    return 1 / math.sqrt(int(query.shape[-1]))


def hideFuture(scores: Tensor) -> Tensor:
    mask = causal_mask(scores.shape[-1], 0, dtype=scores.dtype, device=scores.device)
    scores = scores + mask
    return scores


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim

        linearOptions = {"bias": True}
        self.c_attn = Linear(self.embed_dim, self.embed_dim * 3, **linearOptions)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, **linearOptions)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return splitIntoHeads(tensor, HeadOptions(count=num_heads, width=attn_head_size))

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return joinHeads(tensor, HeadOptions(count=num_heads, width=attn_head_size))

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # a lone token has nobody else to look at
        if int(query.shape[-2]) < 2:
            return value

        scores = (query @ key.T) * scaleFor(query)
        weights = F.softmax(hideFuture(scores))
        return weights @ value

    def _projectQkv(self, hiddenStates: Tensor) -> dict[str, Tensor]:
        sizes = [self.split_size] * 3
        query, key, value = self.c_attn(hiddenStates).split(sizes, axis=-1)
        return {"query": query, "key": key, "value": value}

    def forward(self, hidden_states: Tensor) -> Tensor:
        headArgs = (self.num_heads, self.head_dim)
        parts = self._projectQkv(hidden_states)
        heads = {name: self._split_heads(part, *headArgs) for name, part in parts.items()}

        mixed = self._attn(**heads)
        return self.c_proj(self._merge_heads(mixed, *headArgs))
