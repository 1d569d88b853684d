"""Multi-head attention as a pipeline of small pure functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

Endo = Callable[[Tensor], Tensor]


def pipe(*stages: Endo) -> Endo:
    """f andThen g andThen h"""
    return lambda x: reduce(lambda acc, stage: stage(acc), stages, x)


def swap(i: int, j: int) -> Endo:
    return lambda x: F.transpose(x, i, j)


def scaled_by(factor: float) -> Endo:
    return lambda x: x * factor


def reshaped(keep: int, tail: list[int]) -> Endo:
    """Keep the first dimensions, replace the others by tail."""
    return lambda x: F.reshape(x, [*x.shape[:keep], *tail])


def masked(like: Tensor) -> Endo:
    length = like.shape[-2]
    return partial(F.add, causal_mask(length, 0, dtype=like.dtype, device=like.device))


heads_first = seq_first = swap(-3, -2)
over_keys: Endo = partial(F.softmax, axis=-1)


class GPT2Attention(Module):
    """x => (cProj compose merge compose attend compose split compose cAttn)(x)"""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim, rest = divmod(self.embed_dim, self.num_heads)
        assert rest == 0, "n_head has to divide n_embd"
        self.split_size = self.embed_dim
        affine = partial(Linear, self.embed_dim, bias=True)
        self.c_attn, self.c_proj = map(affine, (3 * self.embed_dim, self.embed_dim))

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return pipe(reshaped(-1, [num_heads, attn_head_size]), heads_first)(tensor)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return pipe(seq_first, reshaped(-2, [num_heads * attn_head_size]))(tensor)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        to_weights = pipe(
            scaled_by(int(key.shape[-1]) ** -0.5),
            masked(like=query),
            over_keys,
        )
        return F.matmul(to_weights(F.matmul(query, key.T)), value)

    def forward(self, hidden_states: Tensor) -> Tensor:
        size = {"num_heads": self.num_heads, "attn_head_size": self.head_dim}
        split, merge = partial(self._split_heads, **size), partial(self._merge_heads, **size)
        return pipe(
            self.c_attn,
            partial(F.chunk, chunks=3, axis=-1),
            partial(map, split),
            lambda qkv: self._attn(*qkv),
            merge,
            self.c_proj,
        )(hidden_states)
