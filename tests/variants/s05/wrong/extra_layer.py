# concept: layer-too-many
# check: forward, c-proj-shape, c-attn-shape
import math
from typing import Optional

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """With the optional arguments that Hugging Face's class has, none of them used yet."""

    def __init__(self, config: GPT2Config, is_cross_attention: bool = False, layer_idx=None):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.is_cross_attention = is_cross_attention
        self.layer_idx = layer_idx
        self.dropout = config.attn_pdrop
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)
        self.dropout_layer = Linear(self.embed_dim, self.embed_dim)
        if self.embed_dim % self.num_heads != 0:
            raise ValueError(f"{self.num_heads} heads do not divide {self.embed_dim}")

    def _split_heads(self, tensor, num_heads=None, attn_head_size=None):
        num_heads = num_heads or self.num_heads
        attn_head_size = attn_head_size or self.head_dim
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads=None, attn_head_size=None):
        tensor = tensor.transpose(-3, -2)
        width = (num_heads or self.num_heads) * (attn_head_size or self.head_dim)
        return tensor.reshape(tensor.shape[:-2] + [width])

    def _attn(self, query, key, value, attention_mask: Optional[Tensor] = None):
        attn_weights = query @ key.transpose(-1, -2)
        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))
        query_length, key_length = query.shape[-2], key.shape[-2]
        if not self.is_cross_attention:
            mask = causal_mask(query_length, 0, dtype=query.dtype, device=query.device)
            attn_weights = attn_weights + mask
        if attention_mask is not None:
            attn_weights = attn_weights + attention_mask
        attn_weights = F.softmax(attn_weights)
        return attn_weights @ value

    def __call__(self, hidden_states, attention_mask=None, use_cache=False, **kwargs):
        try:
            query, key, value = F.split(
                self.c_attn(hidden_states), [self.split_size] * 3, axis=2
            )
        except ValueError as error:
            raise ValueError("c_attn gave something odd") from error
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        attn_output = self._attn(query, key, value, attention_mask)
        attn_output = self._merge_heads(attn_output, self.num_heads, self.head_dim)
        return self.c_proj(attn_output)
