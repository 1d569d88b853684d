"""Step 09 with the formula of GELU written out, and a few odd lines."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

CUBIC = 0.044715
ROOT = math.sqrt(2.0 / math.pi)


def gelu_new(x: Tensor) -> Tensor:
    """0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    cube = x * x * x
    inside = (x + cube * CUBIC) * ROOT
    return x * 0.5 * (F.tanh(inside) + 1.0)


def exact(x: Tensor) -> Tensor:
    """Only for comparison; nobody calls it."""
    return F.gelu(x)


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        self.width = intermediate_size  # never read
        self.c_fc = Linear(config.n_embd, intermediate_size, bias=True)
        self.c_proj = Linear(intermediate_size, config.n_embd, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        x1 = self.c_fc(hidden_states)
        x2 = gelu_new(x1)
        x1 = self.c_proj(x2)
        return x1


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        eps = config.layer_norm_epsilon
        self.ln_1 = LayerNorm(config.n_embd, eps=eps)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(config.n_embd, eps=eps)
        given = not config.n_inner is None
        width = 4 * config.n_embd
        if given == True:
            width = config.n_inner
        self.mlp = GPT2MLP(config=config, intermediate_size=width)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        a = self.ln_1(hidden_states)
        a = self.attn(a)
        new_a = a + hidden_states
        b = self.ln_2(new_a)
        b = self.mlp(b)
        new_b = new_a + b
        return new_b
