# concept: second-residual-of-norm
# check: feed-forward
"""My step nine."""
from __future__ import annotations

import max.experimental.functional as F
import max.experimental.nn as nn
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(nn.Module):
    """Two linear layers with a GELU in between."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        embed_dim = config.n_embd
        # up
        self.c_fc = nn.Linear(in_dim=embed_dim, out_dim=intermediate_size, bias=True)
        # down
        self.c_proj = nn.Linear(in_dim=intermediate_size, out_dim=embed_dim, bias=True)

    def forward(self, hidden_states: Tensor) -> Tensor:
        # [..., n_embd] -> [..., inner]
        wide: Tensor = self.c_fc(hidden_states)
        # activation
        activated: Tensor = F.gelu(wide, "tanh")
        # [..., inner] -> [..., n_embd]
        narrow: Tensor = self.c_proj(activated)
        return narrow


class GPT2Block(nn.Module):
    """Transformer block."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        hidden_size = config.n_embd
        if config.n_inner is not None:
            inner_dim = config.n_inner
        else:
            inner_dim = 4 * hidden_size
        self.ln_1 = LayerNorm(hidden_size, eps=config.layer_norm_epsilon)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(hidden_size, eps=config.layer_norm_epsilon)
        self.mlp = GPT2MLP(inner_dim, config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        residual = hidden_states
        hidden_states = self.ln_1(hidden_states)
        attn_output = self.attn(hidden_states)
        hidden_states = attn_output + residual

        hidden_states = self.ln_2(hidden_states)
        residual = hidden_states
        feed_forward_hidden_states = self.mlp(hidden_states)
        hidden_states = residual + feed_forward_hidden_states
        return hidden_states
