# concept: gelu-square
# check: gelu, mlp-numbers
import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


def gelu_new(x):
    return 0.5 * x * (1.0 + F.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x)))


class GPT2MLP(Module):
    def __init__(self, intermediate_size, config):
        super().__init__()
        self.c_fc = Linear(config.n_embd, intermediate_size)
        self.c_proj = Linear(intermediate_size, config.n_embd)

    def __call__(self, x):
        return self.c_proj(gelu_new(self.c_fc(x)))


class GPT2Block(Module):
    def __init__(self, config):
        super().__init__()
        n, eps = config.n_embd, config.layer_norm_epsilon
        self.ln_1 = LayerNorm(n, eps)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(n, eps)
        self.mlp = GPT2MLP(config.n_inner or 4 * n, config)

    def __call__(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
