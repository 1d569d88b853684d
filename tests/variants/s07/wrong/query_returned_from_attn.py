# concept: returns-query
# check: weighted-sum, numbers, shape, repeats, causal
import math
import sys

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config

print("loading my attention ...")


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    return Tensor(
        [[0.0] * (t + i + 1) + [-float("inf")] * (s - i - 1) for i in range(s)],
        dtype=dtype,
        device=device,
    )


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        print("config", config)
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        print("before split", tensor.shape)
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)
        tensor = tensor.transpose(-3, -2)
        print("after split", tensor.shape)
        return tensor

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        print(f"{new_shape=}")
        return tensor.reshape(new_shape)

    def _attn(self, query, key, value):
        attn_weights = query @ key.transpose(-1, -2)
        print("scores", attn_weights.shape, attn_weights.dtype)
        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))
        seq_len = query.shape[-2]
        mask = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)
        print("mask", mask.shape, file=sys.stderr)
        attn_weights = attn_weights + mask
        attn_weights = F.softmax(attn_weights)
        attn_weights @ value
        return query

    def __call__(self, hidden_states: Tensor) -> Tensor:
        query, key, value = F.split(
            self.c_attn(hidden_states),
            [self.split_size, self.split_size, self.split_size],
            axis=2,
        )
        print(type(query), query.shape, key.shape, value.shape, flush=True)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)
        attn_output = self.c_proj(attn_output)
        print("❌ not a real failure, only me shouting", attn_output.shape)
        return attn_output
