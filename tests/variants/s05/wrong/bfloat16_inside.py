# concept: output
# check: scores, attn-output, output, softmax
import math

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """The softmax in float64 for accuracy; the output in the input's dtype again."""

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        scores = (query @ key.transpose(-1, -2)).cast(DType.bfloat16).cast(DType.float64)
        scores = scores / math.sqrt(self.head_dim)
        scores = scores + causal_mask(
            query.shape[-2], 0, dtype=DType.float64, device=query.device
        )
        weights = F.softmax(scores).cast(query.dtype)
        return weights @ value

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
