"""Un bloc de GPT-2."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        dehors, dedans = config.n_embd, intermediate_size
        self.c_proj = Linear(in_dim=dedans, out_dim=dehors)
        self.c_fc = Linear(in_dim=dehors, out_dim=dedans)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        large = self.c_fc(hidden_states)
        return self.c_proj(F.gelu(large, approximate="tanh"))


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()

        def norme() -> LayerNorm:
            return LayerNorm(config.n_embd, config.layer_norm_epsilon)

        largeur = config.n_inner
        if largeur is None:
            largeur = config.n_embd * 4
        self.ln_1 = norme()
        self.attn = GPT2Attention(config)
        self.ln_2 = norme()
        self.mlp = GPT2MLP(largeur, config=config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        flux = hidden_states
        for norme, couche in ((self.ln_1, self.attn), (self.ln_2, self.mlp)):
            flux = flux + couche(norme(flux))
        return flux
