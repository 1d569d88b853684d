from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm, residual


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config):
        super().__init__()
        self.c_fc = Linear(config.n_embd, intermediate_size)
        self.c_proj = Linear(intermediate_size, config.n_embd)

    def __call__(self, h):
        h = F.gelu(self.c_fc(h), approximate="tanh")
        return self.c_proj(h)


class GPT2Block(Module):
    def __init__(self, config):
        super().__init__()
        dim, eps = config.n_embd, config.layer_norm_epsilon
        self.ln_1, self.ln_2 = LayerNorm(dim, eps), LayerNorm(dim, eps)
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(config.n_inner if config.n_inner is not None else 4 * dim, config)

    def __call__(self, h):
        h = residual(h, self.ln_1, self.attn)
        return residual(h, self.ln_2, self.mlp)
