"""Step 09: a transformer block, in the way I would lay it out in Keras."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

EXPANSION = 4
CUBIC = 0.044715


def dense(inputs: int, units: int) -> Linear:
    """Keras finds the input width by itself, MAX wants both."""
    return Linear(inputs, units, bias=True)


def gelu_new(x: Tensor) -> Tensor:
    """tf.keras.activations.gelu(x, approximate=True), written out."""
    inner = math.sqrt(2.0 / math.pi) * (x + CUBIC * x * x * x)
    return 0.5 * x * (1.0 + F.tanh(inner))


def hidden_units(config: GPT2Config) -> int:
    """Units between the two dense layers."""
    if config.n_inner is not None:
        return config.n_inner
    return EXPANSION * config.n_embd


class GPT2MLP(Module):
    """Sequential([dense, gelu, dense])."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        features = config.n_embd
        self.c_fc = dense(features, intermediate_size)
        self.c_proj = dense(intermediate_size, features)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        outputs = hidden_states
        for layer in (self.c_fc, gelu_new, self.c_proj):
            outputs = layer(outputs)
        return outputs


class GPT2Block(Module):
    """Two Add() layers around attention and MLP."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        width, epsilon = config.n_embd, config.layer_norm_epsilon
        self.ln_1 = LayerNorm(width, eps=epsilon)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(width, eps=epsilon)
        self.mlp = GPT2MLP(hidden_units(config), config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        shortcut = hidden_states
        outputs = self.attn(self.ln_1(shortcut))
        outputs = F.add(shortcut, outputs)

        shortcut = outputs
        outputs = self.mlp(self.ln_2(shortcut))
        return F.add(shortcut, outputs)
