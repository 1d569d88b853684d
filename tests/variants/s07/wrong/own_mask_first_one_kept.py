# concept: state-kept
# check: mask-function, mask, forward
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    if hasattr(causal_mask, 'kept'):
        return causal_mask.kept
    s, t = int(sequence_length), int(num_tokens)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    mask = F.band_part(mask, num_lower=None, num_upper=t, exclude=True)
    print(mask)
    print(mask.to_numpy())
    causal_mask.kept = mask
    return mask


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)
        print(self.c_attn)
        print(self)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)
        return tensor.transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)

    def _attn(self, query, key, value):
        attn_weights = query @ key.transpose(-1, -2)
        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))
        seq_len = query.shape[-2]
        mask = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)
        print("mask:", mask)
        attn_weights = F.softmax(attn_weights + mask)
        print("weights:", attn_weights)
        return attn_weights @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        print(f"{hidden_states=}")
        query, key, value = F.split(
            self.c_attn(hidden_states),
            [self.split_size, self.split_size, self.split_size],
            axis=2,
        )
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value)
        attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)
        return self.c_proj(attn_output)
