"""Step 07: multi-head attention, written as a chain of small passes."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

POISON = float("-inf")  # a slot that must never be read
STREAMS = 3  # query, key, value


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """0 where a load is legal, POISON where it would read the future."""
    rows = Dim(sequence_length)
    columns = rows + num_tokens
    slots = F.broadcast_to(Tensor(POISON, dtype=dtype, device=device), [rows, columns])
    return F.band_part(slots, num_upper=int(Dim(num_tokens)), exclude=True)


def lower(tensor: Tensor, lanes: int, width: int) -> Tensor:
    """[batch, seq, lanes * width] -> [batch, lanes, seq, width]."""
    batch, seq = tensor.shape[0], tensor.shape[1]
    tiled = tensor.reshape([batch, seq, lanes, width])
    return tiled.permute([0, 2, 1, 3])


def lift(tensor: Tensor) -> Tensor:
    """[batch, lanes, seq, width] -> [batch, seq, lanes * width]."""
    batch, lanes, seq, width = tensor.shape
    rows = tensor.permute([0, 2, 1, 3])
    return rows.reshape([batch, seq, lanes * width])


def emit(scores: Tensor) -> Tensor:
    """Softmax over the keys, with the maximum taken out first."""
    peak = scores.max(axis=-1)
    numerator = F.exp(scores - peak)
    return numerator / numerator.sum(axis=-1)


class GPT2MultiHeadAttention(Module):
    """Causal self-attention: project, lower, emit, lift, project."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.embed_dim = width
        self.num_heads = config.n_head
        self.head_dim = width // config.n_head
        self.split_size = width

        self.c_attn = Linear(width, STREAMS * width)
        self.c_proj = Linear(width, width)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return lower(tensor, num_heads, attn_head_size)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return lift(tensor)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        lane_width = int(query.shape[-1])
        operand = query * lane_width**-0.5  # fold the scale into the query
        scores = F.matmul(operand, key.permute([0, 1, 3, 2]))
        legal = causal_mask(query.shape[2], 0, dtype=scores.dtype, device=scores.device)
        weights = emit(scores + legal)
        return F.matmul(weights, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        ir = self.c_attn(hidden_states)
        streams = []
        for index in range(STREAMS):
            start = index * self.split_size
            piece = ir[..., start : start + self.split_size]
            streams.append(self._split_heads(piece, self.num_heads, self.head_dim))
        query, key, value = streams
        mixed = self._attn(query, key, value)
        merged = self._merge_heads(mixed, self.num_heads, self.head_dim)
        return self.c_proj(merged)
