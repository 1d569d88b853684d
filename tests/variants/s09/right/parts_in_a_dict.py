from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


def apply(layers, x):
    """Each layer after the one before."""
    for layer in layers:
        x = layer(x)
    return x


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config):
        super().__init__()
        options = {"bias": True}
        self.c_fc = Linear(config.n_embd, intermediate_size, **options)
        self.c_proj = Linear(intermediate_size, config.n_embd, **options)

    def __call__(self, x):
        wide = self.c_fc(x)
        bent = F.gelu(wide, approximate="tanh")
        return self.c_proj(bent)


class GPT2Block(Module):
    def __init__(self, config):
        super().__init__()
        width = config.n_embd
        inner = config.n_inner if config.n_inner is not None else width * 4
        settings = dict(eps=config.layer_norm_epsilon)
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(inner, config)
        self.ln_1, self.ln_2 = (LayerNorm(width, **settings) for _ in range(2))

    def __call__(self, hidden_states):
        halves = {"attention": [self.ln_1, self.attn], "network": [self.ln_2, self.mlp]}
        for name in ("attention", "network"):
            found = apply(halves[name], hidden_states)
            hidden_states = found + hidden_states
        return hidden_states
