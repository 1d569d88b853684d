"""The transformer block, assembled from components like a prefab."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    """Component: the feed-forward network."""

    _GELU_MODE = "tanh"

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        self._outer = config.n_embd
        self._inner = intermediate_size
        self.c_fc = Linear(self._outer, self._inner)
        self.c_proj = Linear(self._inner, self._outer)

    def _activate(self, signal: Tensor) -> Tensor:
        return F.gelu(signal, approximate=self._GELU_MODE)

    def forward(self, hidden_states: Tensor) -> Tensor:
        wide = self.c_fc(hidden_states)
        bent = self._activate(wide)
        return self.c_proj(bent)


class GPT2Block(Module):
    """Game object with four components, wired in __init__."""

    # lifecycle

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self._config = config
        self.ln_1 = self._create_norm()
        self.attn = GPT2Attention(config)
        self.ln_2 = self._create_norm()
        self.mlp = GPT2MLP(self._inner_width(), config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        after_attention = self._on_attention(hidden_states)
        return self._on_feed_forward(after_attention)

    # private

    def _create_norm(self) -> LayerNorm:
        width, eps = self._config.n_embd, self._config.layer_norm_epsilon
        return LayerNorm(width, eps)

    def _inner_width(self) -> int:
        if self._config.n_inner is not None:
            return self._config.n_inner
        return self._config.n_embd * 4

    def _on_attention(self, state: Tensor) -> Tensor:
        delta = self.attn(self.ln_1(state))
        return state + delta

    def _on_feed_forward(self, state: Tensor) -> Tensor:
        delta = self.mlp(self.ln_2(state))
        return state + delta
