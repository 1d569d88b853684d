import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor

    s, t = int(sequence_length), int(num_tokens)
    return F.band_part(
        Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device), None, t, exclude=True
    )


class GPT2MultiHeadAttention(Module):
    """Same layers; I keep the config instead of embed_dim, num_heads and head_dim."""

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.config = config
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    @property
    def size(self) -> int:
        return self.config.n_embd // self.config.n_head

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        weights = query @ key.transpose(-1, -2) / math.sqrt(self.size)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(weights + mask) @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        c = self.config
        q, k, v = F.split(self.c_attn(hidden_states), [c.n_embd] * 3, axis=2)
        q = self._split_heads(q, c.n_head, self.size)
        k = self._split_heads(k, c.n_head, self.size)
        v = self._split_heads(v, c.n_head, self.size)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), c.n_head, self.size))
