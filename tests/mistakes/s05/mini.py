from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, x):
        b, t, c = x.shape
        qkv = self.c_attn(x).reshape([b, t, 3, self.num_heads, self.head_dim])
        qkv = qkv.permute([2, 0, 3, 1, 4])
        q, k, v = qkv[0], qkv[1], qkv[2]
        att = q @ k.transpose(2, 3) / self.head_dim**0.5
        att = att + causal_mask(t, 0, dtype=att.dtype, device=att.device)
        y = F.softmax(att, axis=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape([b, t, c]))
