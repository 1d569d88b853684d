"""The transformer block as a fold of two residual arrows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

Arrow = Callable[[Tensor], Tensor]


def and_then(f: Arrow, g: Arrow) -> Arrow:
    return lambda x: g(f(x))


def chain(*arrows: Arrow) -> Arrow:
    return reduce(and_then, arrows)


def residual(arrow: Arrow) -> Arrow:
    """identity &&& arrow >>> uncurry (+)"""
    return lambda x: F.add(x, arrow(x))


def get_or_else(option: int | None, default: Callable[[], int]) -> int:
    return default() if option is None else option


gelu_new: Arrow = partial(F.gelu, approximate="tanh")


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        outer, inner = config.n_embd, intermediate_size
        self.c_fc = Linear(in_dim=outer, out_dim=inner)
        self.c_proj = Linear(in_dim=inner, out_dim=outer)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return chain(self.c_fc, gelu_new, self.c_proj)(hidden_states)


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        norm = partial(LayerNorm, config.n_embd, eps=config.layer_norm_epsilon)
        width = get_or_else(config.n_inner, lambda: 4 * config.n_embd)
        self.ln_1, self.ln_2 = norm(), norm()
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(width, config=config)

    def halves(self) -> Iterator[Arrow]:
        """Pre-norm: normalize, then the sublayer."""
        yield chain(self.ln_1, self.attn)
        yield chain(self.ln_2, self.mlp)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return chain(*map(residual, self.halves()))(hidden_states)
