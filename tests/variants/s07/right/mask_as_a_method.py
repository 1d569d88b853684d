import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config


class GPT2MultiHeadAttention(Module):
    """The mask is a method here; nobody else needs it."""

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    @staticmethod
    def _causal(scores: Tensor) -> Tensor:
        n = int(scores.shape[-1])
        everything = Tensor.full([n, n], float("-inf"), dtype=scores.dtype, device=scores.device)
        return F.band_part(everything, num_lower=None, num_upper=0, exclude=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        batch, seq, _ = tensor.shape
        return tensor.reshape([batch, seq, num_heads, attn_head_size]).transpose(1, 2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        batch, _, seq, _ = tensor.shape
        return tensor.transpose(1, 2).reshape([batch, seq, num_heads * attn_head_size])

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        return F.softmax(scores + self._causal(scores)) @ value

    def __call__(self, hidden_states):
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        out = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(out, self.num_heads, self.head_dim))
