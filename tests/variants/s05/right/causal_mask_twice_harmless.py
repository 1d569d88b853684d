import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(out_dim=3 * self.embed_dim, bias=True, in_dim=self.embed_dim)
        self.c_proj = Linear(bias=True, in_dim=self.embed_dim, out_dim=self.embed_dim)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(shape=new_shape).transpose(dim1=-2, dim2=-3)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.transpose(dim2=1, dim1=2)
        return tensor.reshape(shape=tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        attn_weights = query @ key.transpose(dim1=-1, dim2=-2)
        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))
        mask = causal_mask(
            sequence_length=query.shape[-2],
            num_tokens=0,
            device=query.device,
            dtype=query.dtype,
        )
        attn_weights = F.softmax(axis=-1, value=attn_weights + mask + mask)
        return attn_weights @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        query, key, value = F.split(
            axis=2,
            x=self.c_attn(hidden_states),
            split_size_or_sections=[self.split_size, self.split_size, self.split_size],
        )
        query = self._split_heads(
            attn_head_size=self.head_dim, num_heads=self.num_heads, tensor=query
        )
        key = self._split_heads(
            attn_head_size=self.head_dim, num_heads=self.num_heads, tensor=key
        )
        value = self._split_heads(
            attn_head_size=self.head_dim, num_heads=self.num_heads, tensor=value
        )
        attn_output = self._attn(value=value, key=key, query=query)
        attn_output = self._merge_heads(
            tensor=attn_output, num_heads=self.num_heads, attn_head_size=self.head_dim
        )
        return self.c_proj(attn_output)
