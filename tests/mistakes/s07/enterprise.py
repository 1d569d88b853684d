"""Multi-head attention service of the GPT-2 model."""

from __future__ import annotations

from math import sqrt
from typing import Final

import max.experimental.functional as F
from max.driver import Device
from max.dtype import DType
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

NUMBER_OF_PROJECTIONS: Final[int] = 3  # query, key, value
HIDDEN_STATES_RANK: Final[int] = 3
HEADS_RANK: Final[int] = 4
NO_EARLIER_TOKENS: Final[int] = 0
NEGATIVE_INFINITY: Final[float] = -float("inf")


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Builds the additive mask: 0 for visible positions, minus infinity for hidden ones."""
    number_of_rows = Dim(sequence_length)
    number_of_columns = number_of_rows + Dim(num_tokens)
    fully_hidden = Tensor.full(
        [number_of_rows, number_of_columns], NEGATIVE_INFINITY, dtype=dtype, device=device
    )
    last_visible_offset = int(Dim(num_tokens))
    return F.band_part(fully_hidden, num_upper=last_visible_offset, exclude=True)


class GPT2MultiHeadAttention(Module):
    """Computes causal multi-head self-attention."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self._ensure_heads_divide_width(config)
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(
            in_dim=self.embed_dim, out_dim=NUMBER_OF_PROJECTIONS * self.embed_dim, bias=True
        )
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=True)

    # ------------------------------------------------------------------ public API

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Lets every token attend to itself and to its predecessors."""
        self._ensure_rank(hidden_states, HIDDEN_STATES_RANK)
        query, key, value = self._project_to_query_key_value(hidden_states)
        query_heads = self._to_heads(query)
        key_heads = self._to_heads(key)
        value_heads = self._to_heads(value)
        attended_heads = self._attn(query_heads, key_heads, value_heads)
        merged_heads = self._merge_heads(attended_heads, self.num_heads, self.head_dim)
        return self.c_proj(merged_heads)

    # ------------------------------------------------------------------ heads

    def _to_heads(self, projection: Tensor) -> Tensor:
        return self._split_heads(projection, self.num_heads, self.head_dim)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        self._ensure_rank(tensor, HIDDEN_STATES_RANK)
        batch_size = tensor.shape[0]
        sequence_length = tensor.shape[1]
        tensor_with_heads = F.reshape(
            tensor, [batch_size, sequence_length, num_heads, attn_head_size]
        )
        return F.permute(tensor_with_heads, [0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        self._ensure_rank(tensor, HEADS_RANK)
        batch_size = tensor.shape[0]
        sequence_length = tensor.shape[2]
        heads_behind_sequence = F.permute(tensor, [0, 2, 1, 3])
        merged_width = num_heads * attn_head_size
        return F.reshape(heads_behind_sequence, [batch_size, sequence_length, merged_width])

    # ------------------------------------------------------------------ attention

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        raw_scores = self._compute_scores(query, key)
        scaled_scores = self._scale_scores(raw_scores, int(query.shape[-1]))
        visible_scores = self._hide_future_tokens(scaled_scores, query)
        attention_weights = F.softmax(visible_scores, axis=-1)
        return F.matmul(attention_weights, value)

    @staticmethod
    def _compute_scores(query: Tensor, key: Tensor) -> Tensor:
        transposed_key = F.transpose(key, 2, 3)
        return F.matmul(query, transposed_key)

    @staticmethod
    def _scale_scores(scores: Tensor, head_width: int) -> Tensor:
        scale_factor = 1.0 / sqrt(head_width)
        return scores * scale_factor

    @staticmethod
    def _hide_future_tokens(scores: Tensor, query: Tensor) -> Tensor:
        sequence_length = query.shape[2]
        mask = causal_mask(
            sequence_length, NO_EARLIER_TOKENS, dtype=query.dtype, device=query.device
        )
        return scores + mask

    # ------------------------------------------------------------------ helpers

    def _project_to_query_key_value(self, hidden_states: Tensor) -> list[Tensor]:
        projections = self.c_attn(hidden_states)
        return F.chunk(projections, NUMBER_OF_PROJECTIONS, axis=-1)

    @staticmethod
    def _ensure_heads_divide_width(config: GPT2Config) -> None:
        if config.n_embd % config.n_head != 0:
            raise ValueError("The number of heads must divide the width of the embedding.")

    @staticmethod
    def _ensure_rank(tensor: Tensor, expected_rank: int) -> None:
        if tensor.rank != expected_rank:
            raise ValueError(f"Expected rank {expected_rank}, but got {tensor.rank}.")
