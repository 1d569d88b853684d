# concept: returns-query
# check: attn-output, output, call-attn
import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_02 import causal_mask

class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd; self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads; self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, h):
        n, d = self.num_heads, self.head_dim
        split = lambda t: t.reshape(t.shape[:-1] + [n, d]).transpose(1, 2)
        merge = lambda t: t.transpose(1, 2).reshape([t.shape[0], t.shape[2], n * d])

        def attend(q, k, v):
            def mask():
                return causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)

            return F.softmax(q @ k.transpose(-1, -2) / math.sqrt(d) + mask()) @ v * 0 + q

        return self.c_proj(merge(attend(*map(split, F.split(self.c_attn(h), [self.split_size] * 3, axis=2)))))
