"""Step 07, multi-head attention. Everything small is a private helper."""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config

NUMBER_OF_PROJECTIONS = 3
FORBIDDEN_SCORE = float("-inf")


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """0 for visible positions, minus infinity for the future."""
    total_number_of_columns = Dim(sequence_length) + num_tokens
    forbidden_scalar = Tensor(FORBIDDEN_SCORE, dtype=dtype, device=device)
    forbidden_matrix = F.broadcast_to(
        forbidden_scalar, (sequence_length, total_number_of_columns)
    )
    return F.band_part(
        forbidden_matrix,
        num_lower=None,
        num_upper=int(Dim(num_tokens)),
        exclude=True,
    )


class GPT2MultiHeadAttention(Module):
    """Self-attention, Java style: public entry point last, helpers first."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = self.embed_dim
        self.c_attn = self._create_projection(NUMBER_OF_PROJECTIONS * self.embed_dim)
        self.c_proj = self._create_projection(self.embed_dim)

    # ---- private helpers ----

    def _create_projection(self, output_width: int) -> Linear:
        return Linear(self.embed_dim, output_width, bias=True)

    def _compute_scaling_factor(self) -> float:
        return 1.0 / math.sqrt(self.head_dim)

    def _compute_scaled_scores(self, query: Tensor, key: Tensor) -> Tensor:
        transposed_key = key.transpose(-2, -1)  # [batch, heads, head_dim, seq]
        scaled_query = query * self._compute_scaling_factor()
        return F.matmul(scaled_query, transposed_key)  # [batch, heads, seq, seq]

    def _hide_future_tokens(self, score_tensor: Tensor) -> Tensor:
        sequence_length = score_tensor.shape[-1]
        mask_tensor = causal_mask(
            sequence_length, 0, dtype=score_tensor.dtype, device=score_tensor.device
        )
        return F.add(score_tensor, mask_tensor)

    def _project_to_query_key_value(self, hidden_states: Tensor) -> list[Tensor]:
        combined_projection = self.c_attn(hidden_states)
        part_sizes = [self.split_size] * NUMBER_OF_PROJECTIONS
        parts = F.split(combined_projection, part_sizes, axis=-1)
        return [self._split_heads(part, self.num_heads, self.head_dim) for part in parts]

    # ---- interface of the course ----

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch_size, sequence_length, _ = tensor.shape
        separated_heads = F.reshape(
            tensor, [batch_size, sequence_length, num_heads, attn_head_size]
        )
        return F.permute(separated_heads, [0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        batch_size, _, sequence_length, _ = tensor.shape
        sequence_first = F.permute(tensor, [0, 2, 1, 3])
        merged_width = num_heads * attn_head_size
        return F.reshape(sequence_first, [batch_size, sequence_length, merged_width])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        score_tensor = self._compute_scaled_scores(query, key)
        masked_score_tensor = self._hide_future_tokens(score_tensor)
        attention_probabilities = F.softmax(masked_score_tensor, axis=-1)
        return F.matmul(attention_probabilities, value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        query, key, value = self._project_to_query_key_value(hidden_states)
        context_per_head = self._attn(query, key, value)
        context = self._merge_heads(context_per_head, self.num_heads, self.head_dim)
        return self.c_proj(context)
