import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import ops


@F.functional
def attend(query, key, value, mask, scale: float):
    """Runs on graph values, with max.graph.ops."""
    scores = ops.matmul(query, ops.transpose(key, -1, -2)) * scale
    return ops.matmul(ops.softmax(scores + mask), value)


class _CausalMask:
    def __call__(self, sequence_length, num_tokens, *, dtype, device):
        s, t = int(sequence_length), int(num_tokens)
        mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
        return F.band_part(mask, num_lower=None, num_upper=t, exclude=True)


causal_mask = _CausalMask()


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
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

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return attend(query, key, value, mask, 1 / math.sqrt(self.head_dim))

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
