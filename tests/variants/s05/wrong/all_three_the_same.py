# concept: same-qkk + same-qqv
# check: split-qkv, split-sizes, output
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """Scores of all heads from one stack of three; rank 5 until the softmax."""

    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, hidden_states):
        seq = hidden_states.shape[1]
        qkv = F.stack(F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2), axis=0)
        qkv = qkv.reshape(qkv.shape[:-1] + [self.num_heads, self.head_dim]).transpose(2, 3)
        query = key = value = qkv[0]
        mask = causal_mask(seq, 0, dtype=query.dtype, device=query.device).unsqueeze(0).unsqueeze(0)
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        context = F.softmax(mask + scores) @ value
        return self.c_proj(F.flatten(context.transpose(1, 2), 2, 3))
