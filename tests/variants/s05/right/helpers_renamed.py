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
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def to_heads(self, x: Tensor) -> Tensor:
        shape = x.shape[:-1] + [self.num_heads, self.head_dim]
        return x.reshape(shape).transpose(-3, -2)

    def from_heads(self, x: Tensor) -> Tensor:
        x = x.transpose(-3, -2)
        return x.reshape(x.shape[:-2] + [self.embed_dim])

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        mask = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        return F.softmax(scores + mask) @ v

    def __call__(self, hidden_states: Tensor) -> Tensor:
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        return self.c_proj(self.from_heads(self.attend(self.to_heads(q), self.to_heads(k), self.to_heads(v))))
