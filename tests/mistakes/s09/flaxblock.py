"""Step 09, as I would write it in Flax: setup, then apply."""

from __future__ import annotations

from functools import partial

from max.experimental import functional as F
from max.experimental import nn
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

act_fn = partial(F.gelu, approximate="tanh")


def hidden_features(cfg: GPT2Config) -> int:
    """Width of the MLP."""
    if cfg.n_inner is not None:
        return cfg.n_inner
    return cfg.n_embd * 4


class GPT2MLP(nn.Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        features = config.n_embd
        self.c_fc = nn.Linear(in_dim=features, out_dim=intermediate_size)
        self.c_proj = nn.Linear(in_dim=intermediate_size, out_dim=features)

    def forward(self, hidden_states: Tensor) -> Tensor:
        h = self.c_fc(hidden_states)
        h = act_fn(h)
        h = self.c_proj(h)
        return h


class GPT2Block(nn.Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        make_norm = partial(LayerNorm, config.n_embd, eps=config.layer_norm_epsilon)

        # params
        self.ln_1 = make_norm()
        self.attn = GPT2Attention(config)
        self.ln_2 = make_norm()
        self.mlp = GPT2MLP(hidden_features(config), config)

    def forward(self, hidden_states: Tensor) -> Tensor:
        stream = hidden_states
        for norm, layer in ((self.ln_1, self.attn), (self.ln_2, self.mlp)):
            y = norm(stream)
            y = layer(y)
            stream = stream + y
        return stream
