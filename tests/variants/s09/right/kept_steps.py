from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config):
        super().__init__()
        sizes = [config.n_embd, intermediate_size, config.n_embd]
        self.c_fc, self.c_proj = [
            Linear(before, after, bias=True) for before, after in zip(sizes, sizes[1:])
        ]

    def __call__(self, x):
        return self.c_proj(self.activation(self.c_fc(x)))

    @staticmethod
    def activation(x):
        return F.gelu(x, approximate="tanh")


class GPT2Block(Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = LayerNorm(config.n_embd, config.layer_norm_epsilon)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(config.n_embd, config.layer_norm_epsilon)
        inner_dim = config.n_inner if config.n_inner else 4 * config.n_embd
        self.mlp = GPT2MLP(inner_dim, config)

    def __call__(self, hidden_states):
        steps = [hidden_states]
        steps.append(self.ln_1(steps[0]))
        steps.append(self.attn(steps[1]))
        steps.append(steps[0] + steps[2])
        steps.append(self.ln_2(steps[3]))
        steps.append(self.mlp(steps[4]))
        return steps[3] + steps[5]
