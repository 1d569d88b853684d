"""Transformer block for GPT-2 built on MAX."""

from __future__ import annotations

import max.experimental.functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

# Expansion factor of the hidden layer when the config does not say otherwise
DEFAULT_EXPANSION = 4


def _activation(features: Tensor) -> Tensor:
    """The tanh approximation of GELU (a.k.a. gelu_new)."""
    return F.gelu(features, approximate="tanh")


class GPT2MLP(Module):
    """Position-wise feed-forward network."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        # Step 1: figure out the sizes
        model_dim = config.n_embd
        # Step 2: expand
        self.c_fc = Linear(model_dim, intermediate_size, bias=True)
        # Step 3: contract
        self.c_proj = Linear(intermediate_size, model_dim, bias=True)

    def forward(self, hidden_states: Tensor) -> Tensor:
        # Expand to the intermediate size
        expanded = self.c_fc(hidden_states)
        # Apply the non-linearity
        activated = _activation(expanded)
        # Contract back to the model dimension
        contracted = self.c_proj(activated)
        return contracted


class GPT2Block(Module):
    """A single pre-norm transformer block."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        # Resolve the inner dimension
        inner_dim = config.n_inner if config.n_inner is not None else DEFAULT_EXPANSION * config.n_embd
        # Normalization layers
        self.ln_1 = self._make_norm(config)
        self.ln_2 = self._make_norm(config)
        # Sub-layers
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(inner_dim, config)

    @staticmethod
    def _make_norm(config: GPT2Config) -> LayerNorm:
        """Build one normalization layer."""
        return LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def _attention_sublayer(self, hidden_states: Tensor) -> Tensor:
        """Normalize, then attend."""
        normalized = self.ln_1(hidden_states)
        return self.attn(normalized)

    def _mlp_sublayer(self, hidden_states: Tensor) -> Tensor:
        """Normalize, then transform."""
        normalized = self.ln_2(hidden_states)
        return self.mlp(normalized)

    def forward(self, hidden_states: Tensor) -> Tensor:
        # Attention with a residual connection
        hidden_states = hidden_states + self._attention_sublayer(hidden_states)
        # Feed-forward with a residual connection
        hidden_states = hidden_states + self._mlp_sublayer(hidden_states)
        return hidden_states
