# concept: returns-values
# check: call-attn, output, attn-output
"""My solution for step five of the course.

I wrote down every single step so that I still understand it next month.
"""

import math
from typing import Final, List, Tuple

import max.experimental.functional as F
import max.experimental.nn as nn
import max.experimental.tensor as tensor_module

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

NUMBER_OF_PROJECTIONS: Final[int] = 3
LAST_AXIS: Final[int] = -1

Tensor = tensor_module.Tensor


class GPT2Attention(nn.Module):
    """Multi-head attention."""

    embed_dim: int
    num_heads: int
    head_dim: int
    split_size: int
    c_attn: nn.Linear
    c_proj: nn.Linear

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()

        # sizes
        self.embed_dim = int(config.n_embd)
        self.num_heads = int(config.n_head)
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim

        # layers
        input_width: int = self.embed_dim
        output_width: int = NUMBER_OF_PROJECTIONS * self.embed_dim
        self.c_attn = nn.Linear(input_width, output_width, bias=True)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        old_shape = tensor.shape
        all_but_last = old_shape[:-1]
        new_last_axes: List[int] = [num_heads, attn_head_size]
        new_shape = all_but_last + new_last_axes
        reshaped_tensor: Tensor = tensor.reshape(new_shape)
        first_axis_to_swap = -3
        second_axis_to_swap = -2
        transposed_tensor: Tensor = reshaped_tensor.transpose(
            first_axis_to_swap,
            second_axis_to_swap,
        )
        return transposed_tensor

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        transposed_tensor: Tensor = tensor.transpose(-3, -2)
        total_width: int = num_heads * attn_head_size
        all_but_last_two = transposed_tensor.shape[:-2]
        new_shape = all_but_last_two + [total_width]
        reshaped_tensor: Tensor = transposed_tensor.reshape(new_shape)
        return reshaped_tensor

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        # step 1: scores
        transposed_key: Tensor = key.transpose(-1, -2)
        raw_scores: Tensor = query @ transposed_key
        # step 2: scale
        size_of_one_head: int = int(value.shape[LAST_AXIS])
        divisor: float = math.sqrt(size_of_one_head)
        scaled_scores: Tensor = raw_scores / divisor
        # step 3: mask
        sequence_length = query.shape[-2]
        tokens_in_cache: int = 0
        mask: Tensor = causal_mask(
            sequence_length,
            tokens_in_cache,
            dtype=query.dtype,
            device=query.device,
        )
        masked_scores: Tensor = scaled_scores + mask
        # step 4: softmax
        weights: Tensor = F.softmax(masked_scores, axis=LAST_AXIS)
        # step 5: weighted sum
        result: Tensor = weights @ value
        return result

    def __call__(self, hidden_states: Tensor) -> Tensor:
        projected: Tensor = self.c_attn(hidden_states)
        sizes: List[int] = []
        for _ in range(NUMBER_OF_PROJECTIONS):
            sizes.append(self.split_size)
        pieces = F.split(projected, sizes, axis=2)
        query: Tensor = pieces[0]
        key: Tensor = pieces[1]
        value: Tensor = pieces[2]

        query_heads: Tensor = self._split_heads(query, self.num_heads, self.head_dim)
        key_heads: Tensor = self._split_heads(key, self.num_heads, self.head_dim)
        value_heads: Tensor = self._split_heads(value, self.num_heads, self.head_dim)

        attention: Tensor = value_heads
        merged: Tensor = self._merge_heads(attention, self.num_heads, self.head_dim)
        output: Tensor = self.c_proj(merged)
        return output
