# concept: mask
# check: mask-function, mask, numbers
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from max.graph import Dim


def _mask(sequence_length, num_tokens, *, dtype, device):
    n = Dim(sequence_length) + num_tokens
    mask = F.broadcast_to(Tensor(-float("inf"), dtype=dtype, device=device), (sequence_length, n))
    return mask


causal_mask = F.functional(_mask)


make_mask = causal_mask


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.split_size = self.embed_dim = (width := config.n_embd)
        self.head_dim = width // (heads := config.n_head)
        self.num_heads = heads
        self.c_attn = Linear(width, 3 * width, bias=True)
        self.c_proj = Linear(width, width, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return (
            tensor.reshape(tensor.shape[:-1] + [num_heads, attn_head_size])
            .transpose(-3, -2)
        )

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return (swapped := tensor.transpose(-3, -2)).reshape(
            swapped.shape[:-2] + [num_heads * attn_head_size]
        )

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (
            F.softmax(
                query @ key.transpose(-1, -2) / math.sqrt(int(value.shape[-1]))
                + make_mask((seq_len := query.shape[-2]), 0, dtype=query.dtype, device=query.device)
            )
            @ value
        )

    def __call__(self, hidden_states: Tensor) -> Tensor:
        parts = F.split(self.c_attn(hidden_states), [size := self.split_size, size, size], axis=2)
        query, key, value = (
            self._split_heads(part, self.num_heads, self.head_dim) for part in parts
        )
        return self.c_proj(
            self._merge_heads(self._attn(query, key, value), self.num_heads, self.head_dim)
        )
