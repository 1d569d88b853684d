import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.nn.module_v3 import Linear, Module

from solutions.solution_01 import GPT2Config
from max.driver import Device
from max.dtype import DType
from max.graph import Dim, DimLike


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    n = Dim(sequence_length) + num_tokens
    mask = Tensor.constant(float("-inf"), dtype=dtype, device=device)
    mask = F.broadcast_to(mask, shape=(sequence_length, n))
    return F.band_part(mask, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        return tensor.reshape(tensor.shape[:-1] + [num_heads, attn_head_size]).transpose(-3, -2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        t = tensor.transpose(-3, -2)
        return t.reshape(t.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        w = query @ key.transpose(-1, -2)
        w = w / math.sqrt(int(value.shape[-1]))
        w = w + causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(w) @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        n = self.split_size
        query, key, value = F.split(self.c_attn(hidden_states), [n, n, n], axis=2)
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        out = self._attn(query, key, value)
        return self.c_proj(self._merge_heads(out, self.num_heads, self.head_dim))
