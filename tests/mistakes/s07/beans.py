"""Step 07, multi-head attention. One method, one responsibility."""

from __future__ import annotations

from typing import Final

import max.experimental.functional as F
from max.driver import Device
from max.dtype import DType
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

LAST_AXIS: Final = -1
SEQUENCE_AXIS: Final = -2
HEAD_AXIS: Final = -3
NUMBER_OF_PROJECTIONS: Final = 3
NEGATIVE_INFINITY: Final = float("-inf")


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """Factory for the mask: 0 for the past, NEGATIVE_INFINITY for the future."""
    row_count = Dim(sequence_length)
    column_count = row_count + Dim(num_tokens)
    blocked = Tensor(NEGATIVE_INFINITY, dtype=dtype, device=device)
    blocked = F.broadcast_to(blocked, [row_count, column_count])
    return F.band_part(
        blocked,
        num_lower=None,
        num_upper=int(Dim(num_tokens)),
        exclude=True,
    )


class GPT2MultiHeadAttention(Module):
    """Causal self-attention with several heads."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = self._create_input_projection()
        self.c_proj = self._create_output_projection()

    # ---- public API -------------------------------------------------------

    def __call__(self, hidden_states: Tensor) -> Tensor:
        query, key, value = self._project_input(hidden_states)
        context = self._attn(
            self._to_heads(query),
            self._to_heads(key),
            self._to_heads(value),
        )
        merged = self._merge_heads(context, self.num_heads, self.head_dim)
        return self.c_proj(merged)

    # ---- prescribed methods -----------------------------------------------

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch_size, sequence_length, _ = tensor.shape
        divided = F.reshape(tensor, [batch_size, sequence_length, num_heads, attn_head_size])
        return self._swap_heads_and_sequence(divided)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        swapped = self._swap_heads_and_sequence(tensor)
        batch_size, sequence_length = swapped.shape[0], swapped.shape[1]
        return F.reshape(swapped, [batch_size, sequence_length, num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        scores = self._compute_scores(query, key)
        masked = self._apply_mask(scores, query)
        weights = F.softmax(masked, axis=LAST_AXIS)
        return F.matmul(weights, value)

    # ---- private helpers --------------------------------------------------

    def _create_input_projection(self) -> Linear:
        return Linear(self.embed_dim, NUMBER_OF_PROJECTIONS * self.embed_dim)

    def _create_output_projection(self) -> Linear:
        return Linear(self.embed_dim, self.embed_dim)

    def _project_input(self, hidden_states: Tensor) -> list[Tensor]:
        projected = self.c_attn(hidden_states)
        return F.split(projected, [self.split_size] * NUMBER_OF_PROJECTIONS, axis=LAST_AXIS)

    def _to_heads(self, tensor: Tensor) -> Tensor:
        return self._split_heads(tensor, self.num_heads, self.head_dim)

    def _compute_scores(self, query: Tensor, key: Tensor) -> Tensor:
        transposed_key = F.transpose(key, LAST_AXIS, SEQUENCE_AXIS)
        return F.matmul(query, transposed_key) * self._get_scale_factor()

    def _get_scale_factor(self) -> float:
        return self.head_dim**-0.5

    def _apply_mask(self, scores: Tensor, query: Tensor) -> Tensor:
        mask = causal_mask(scores.shape[SEQUENCE_AXIS], 0, dtype=query.dtype, device=query.device)
        return scores + mask

    @staticmethod
    def _swap_heads_and_sequence(tensor: Tensor) -> Tensor:
        return F.transpose(tensor, HEAD_AXIS, SEQUENCE_AXIS)
