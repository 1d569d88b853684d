from math import sqrt

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

    def __call__(self, hidden_states: Tensor) -> Tensor:
        batch, seq = (int(n) for n in hidden_states.shape[:2])
        qkv = self.c_attn(hidden_states)
        qkv = qkv.reshape([batch, seq, 3, self.num_heads, self.head_dim])
        qkv = qkv.permute([2, 0, 3, 1, 4])  # [3, batch, n_head, seq, head_dim]
        query, key, value = qkv[0], qkv[1], qkv[2]
        scores = query @ key.permute([0, 1, 3, 2]) / sqrt(self.head_dim)
        scores = scores + causal_mask(seq, 0, dtype=scores.dtype, device=scores.device)
        context = F.softmax(scores) @ value
        context = context.permute([0, 2, 1, 3]).reshape([batch, seq, -1])
        return self.c_proj(context)
