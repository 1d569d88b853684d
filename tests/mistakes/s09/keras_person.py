"""GPT-2 block, written the way I would write a keras.layers.Layer."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


def dense(units, input_dim):
    # keras.layers.Dense(units), but MAX wants to know the input size too
    return Linear(input_dim, units, bias=True)


def gelu_new(x):
    # keras.activations.gelu(x, approximate=True)
    return F.gelu(x, approximate="tanh")


class GPT2Block(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.build(config)

    def build(self, config):
        units = config.n_embd
        epsilon = config.layer_norm_epsilon

        self.ln_1 = LayerNorm(units, eps=epsilon)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(units, eps=epsilon)

        inner_units = config.n_inner
        if inner_units is None:
            inner_units = 4 * units
        self.mlp = GPT2MLP(inner_units, config)

    def __call__(self, inputs: Tensor) -> Tensor:
        # attention
        x = self.ln_1(inputs)
        x = self.attn(x)
        x = F.add(x, inputs)
        shortcut = x

        # feed forward
        x = self.ln_2(x)
        x = self.mlp(x)
        return F.add(x, shortcut)


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config):
        super().__init__()
        self.c_fc = dense(intermediate_size, input_dim=config.n_embd)
        self.c_proj = dense(config.n_embd, input_dim=intermediate_size)

    def __call__(self, inputs: Tensor) -> Tensor:
        x = inputs
        for layer in (self.c_fc, gelu_new, self.c_proj):
            x = layer(x)
        return x
