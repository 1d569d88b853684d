# concept: missing-scale
# check: scale
import math
import max.nn.module_v3 as nn
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    """log 1 = 0 and log 0 = -inf, so the logarithm of tril is the mask."""
    shape = [int(sequence_length), int(sequence_length) + int(num_tokens)]
    ones = Tensor.ones(shape, dtype=dtype, device=device)
    return F.log(F.band_part(ones, num_lower=None, num_upper=int(num_tokens)))


class GPT2MultiHeadAttention(nn.Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = nn.Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = nn.Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)
        return tensor.transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)

    def _attn(self, query, key, value):
        seq_len = query.shape[-2]
        mask = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)
        attn_weights = F.softmax(query @ key.transpose(-1, -2) + mask / math.sqrt(int(value.shape[-1])))
        return attn_weights @ value

    def __call__(self, hidden_states):
        query, key, value = F.split(
            self.c_attn(hidden_states), [self.split_size, self.split_size, self.split_size], axis=2
        )
        return self.c_proj(
            self._merge_heads(
                self._attn(
                    self._split_heads(query, self.num_heads, self.head_dim),
                    self._split_heads(key, self.num_heads, self.head_dim),
                    self._split_heads(value, self.num_heads, self.head_dim),
                ),
                self.num_heads,
                self.head_dim,
            )
        )
