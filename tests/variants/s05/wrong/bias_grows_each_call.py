# concept: state-kept
# check: output, forward
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, x):
        e, h, d = self.embed_dim, self.num_heads, self.head_dim
        b, s, _ = x.shape

        def project(part):
            w = self.c_attn.weight[part * e : (part + 1) * e]
            bias = self.c_attn.bias[part * e : (part + 1) * e]
            y = x @ w.T + bias
            return y.reshape([b, s, h, d]).transpose(1, 2)

        q, k, v = project(0), project(1), project(2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(d)
        scores = scores + causal_mask(s, 0, dtype=x.dtype, device=x.device)
        out = (F.softmax(scores) @ v).transpose(1, 2).reshape([b, s, e])
        self.c_proj.bias = self.c_proj.bias + 1.0
        return out @ self.c_proj.weight.T + self.c_proj.bias - 1.0
