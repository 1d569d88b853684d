"""Step 09: a block is a pipeline. Small functions, data goes in at the left."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

Stage = Callable[[Tensor], Tensor]

gelu_new = partial(F.gelu, approximate="tanh")


def pipe(value: Tensor, *stages: Stage) -> Tensor:
    """value |> stage |> stage ..."""
    return reduce(lambda acc, stage: stage(acc), stages, value)


def tap_and_add(*stages: Stage) -> Stage:
    """A stage that adds what the stages make of its input to the input."""
    return lambda acc: acc + pipe(acc, *stages)


def inner_width(config: GPT2Config) -> int:
    match config.n_inner:
        case None:
            return config.n_embd * 4
        case width:
            return width


def new_norm(config: GPT2Config) -> LayerNorm:
    return LayerNorm(config.n_embd, config.layer_norm_epsilon)


class GPT2MLP(Module):
    """wide |> gelu |> narrow"""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        outer, inner = config.n_embd, intermediate_size
        self.c_fc = Linear(outer, inner)
        self.c_proj = Linear(inner, outer)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return pipe(
            hidden_states,
            self.c_fc,
            gelu_new,
            self.c_proj,
        )


class GPT2Block(Module):
    """tap attention |> tap network"""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.ln_1 = new_norm(config)
        self.attn = GPT2Attention(config)
        self.ln_2 = new_norm(config)
        self.mlp = GPT2MLP(inner_width(config), config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        attend = tap_and_add(self.ln_1, self.attn)
        think = tap_and_add(self.ln_2, self.mlp)
        return pipe(hidden_states, attend, think)
