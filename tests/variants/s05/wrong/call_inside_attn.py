# concept: forward
# check: forward, split-qkv, split-shape
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

        def __call__(self, x: Tensor) -> Tensor:
            B, T, C = x.shape
            # calculate query, key, values for all heads in batch and move head forward to be the batch dim
            q, k, v = F.split(self.c_attn(x), [self.embed_dim, self.embed_dim, self.embed_dim], axis=2)
            k = k.reshape([B, T, self.num_heads, self.head_dim]).transpose(1, 2)  # (B, nh, T, hs)
            q = q.reshape([B, T, self.num_heads, self.head_dim]).transpose(1, 2)  # (B, nh, T, hs)
            v = v.reshape([B, T, self.num_heads, self.head_dim]).transpose(1, 2)  # (B, nh, T, hs)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(int(k.shape[-1])))
            att = att + causal_mask(T, 0, dtype=x.dtype, device=x.device)
            att = F.softmax(att)
            y = att @ v  # (B, nh, T, T) x (B, nh, T, hs) -> (B, nh, T, hs)
            y = y.transpose(1, 2).reshape([B, T, C])
            return self.c_proj(y)
