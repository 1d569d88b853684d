import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    n = int(sequence_length) + int(num_tokens)
    mask = Tensor.full([int(sequence_length), n], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=int(num_tokens), exclude=True)


class DotProduct(Module):
    """A module without parameters of its own."""

    def __init__(self, head_dim: int):
        super().__init__()
        self.scale = 1 / math.sqrt(head_dim)

    def forward(self, query, key, value):
        scores = query @ key.transpose(-1, -2) * self.scale
        scores = scores + causal_mask(
            query.shape[-2], 0, dtype=query.dtype, device=query.device
        )
        return F.softmax(scores) @ value


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.attention = DotProduct(self.head_dim)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        return tensor.reshape(tensor.shape[:-1] + [num_heads, attn_head_size]).transpose(1, 2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(1, 2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        return self.attention(query, key, value)

    def __call__(self, hidden_states):
        qkv = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        heads = [self._split_heads(t, self.num_heads, self.head_dim) for t in qkv]
        return self.c_proj(
            self._merge_heads(self._attn(*heads), self.num_heads, self.head_dim)
        )
