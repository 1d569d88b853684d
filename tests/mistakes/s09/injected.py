"""A block that is composed from the outside: nothing creates its own collaborators."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

Transform = Callable[[Tensor], Tensor]


def tanh_gelu(x: Tensor) -> Tensor:
    """Hugging Face's gelu_new."""
    return F.gelu(x, approximate="tanh")


class GPT2MLP(Module):
    """Feed-forward network with an injected activation."""

    def __init__(
        self,
        intermediate_size: int,
        config: GPT2Config,
        linear: Callable[[int, int], Module] = Linear,
        activation: Transform = tanh_gelu,
    ) -> None:
        super().__init__()
        outer_size = config.n_embd
        self.c_fc = linear(outer_size, intermediate_size)
        self.c_proj = linear(intermediate_size, outer_size)
        self.activation = activation

    def __call__(self, hidden_states: Tensor) -> Tensor:
        return self.c_proj(self.activation(self.c_fc(hidden_states)))


# --- factories -------------------------------------------------------------------------------


def norm_factory(config: GPT2Config) -> LayerNorm:
    return LayerNorm(config.n_embd, config.layer_norm_epsilon)


def mlp_factory(config: GPT2Config) -> GPT2MLP:
    width = config.n_inner
    if width is None:
        width = config.n_embd * 4
    return GPT2MLP(width, config)


class Container(NamedTuple):
    """Which factory provides which part."""

    norm: Callable[[GPT2Config], LayerNorm] = norm_factory
    attention: Callable[[GPT2Config], GPT2Attention] = GPT2Attention
    feed_forward: Callable[[GPT2Config], GPT2MLP] = mlp_factory


# --- composition root ------------------------------------------------------------------------


class GPT2Block(Module):
    """Two pre-norm sublayers around a residual stream."""

    def __init__(self, config: GPT2Config, container: Container | None = None) -> None:
        super().__init__()
        provide = Container() if container is None else container
        self.ln_1 = provide.norm(config)
        self.attn = provide.attention(config)
        self.ln_2 = provide.norm(config)
        self.mlp = provide.feed_forward(config)

    def _sublayer(self, stream: Tensor, norm: Transform, layer: Transform) -> Tensor:
        return stream + layer(norm(stream))

    def __call__(self, hidden_states: Tensor) -> Tensor:
        attended = self._sublayer(hidden_states, self.ln_1, self.attn)
        return self._sublayer(attended, self.ln_2, self.mlp)
