import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from max.driver import CPU
from max.dtype import DType


def causal_mask(sequence_length, num_tokens=0, *, dtype=DType.float32, device=CPU()):
    s, t = int(sequence_length), int(num_tokens)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=t, exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    # the sizes are known anyway, why pass them
    def _split_heads(self, tensor):
        new_shape = tensor.shape[:-1] + [self.num_heads, self.head_dim]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [self.embed_dim])

    def _attn(self, qkv):
        query, key, value = qkv
        weights = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        weights = weights + causal_mask(
            query.shape[-2], 0, dtype=query.dtype, device=query.device
        )
        return F.softmax(weights) @ value

    def __call__(self, hidden_states):
        parts = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        return self.c_proj(self._merge_heads(self._attn([self._split_heads(p) for p in parts])))
