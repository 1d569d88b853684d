"""A block as a composition of small functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

Arrow = Callable[[Tensor], Tensor]

gelu_new: Arrow = partial(F.gelu, approximate="tanh")


def compose(*arrows: Arrow) -> Arrow:
    """compose(f, g, h)(x) is h(g(f(x)))."""
    return lambda x: reduce(lambda acc, arrow: arrow(acc), arrows, x)


def plus_identity(arrow: Arrow) -> Arrow:
    """The skip connection as a higher-order function."""
    return lambda x: x + arrow(x)


def get_or_else(option: int | None, default: int) -> int:
    return default if option is None else option


def inner_width(config: GPT2Config) -> int:
    return get_or_else(config.n_inner, 4 * config.n_embd)


def norm_of(config: GPT2Config) -> LayerNorm:
    return LayerNorm(config.n_embd, config.layer_norm_epsilon)


class GPT2MLP(Module):
    """c_proj . gelu . c_fc"""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        outer, inner = config.n_embd, intermediate_size
        self.c_fc = Linear(outer, inner, bias=True)
        self.c_proj = Linear(inner, outer, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        pipeline = compose(self.c_fc, gelu_new, self.c_proj)
        return pipeline(hidden_states)


class GPT2Block(Module):
    """Two skips, one after the other."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = norm_of(config), norm_of(config)
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(inner_width(config), config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        mix = plus_identity(compose(self.ln_1, self.attn))
        think = plus_identity(compose(self.ln_2, self.mlp))
        return compose(mix, think)(hidden_states)
