"""Block with a written-out GELU and sublayers in a list."""

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class NewGELU(Module):
    def forward(self, x: Tensor) -> Tensor:
        inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1.0 + F.tanh(inner))


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        width = config.n_embd
        self.c_fc = Linear(width, intermediate_size, bias=True)
        self.c_proj = Linear(intermediate_size, width, bias=True)
        self.act = NewGELU()

    def forward(self, hidden_states: Tensor) -> Tensor:
        h = self.c_fc(hidden_states)
        h = self.act(h)
        h = self.c_proj(h)
        return h


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        eps = config.layer_norm_epsilon
        self.ln_1 = LayerNorm(config.n_embd, eps)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(config.n_embd, eps)
        hidden = config.n_inner
        if hidden is None:
            hidden = 4 * config.n_embd
        self.mlp = GPT2MLP(hidden, config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        for norm, layer in ((self.ln_1, self.attn), (self.ln_2, self.mlp)):
            normed = norm(hidden_states)
            update = layer(normed)
            hidden_states = hidden_states + update
        return hidden_states
