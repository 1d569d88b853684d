"""Charan 09: ek dhara, do jod. Mool varg ke saath."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class JodneWala:
    """Jo dhara mein jodta hai."""

    guna: int = 4

    def jodo(self, dhara: Tensor, naya: Tensor) -> Tensor:
        kul = dhara
        kul += naya
        return kul

    @classmethod
    def chaudai(cls, config: GPT2Config) -> int:
        if (diya := config.n_inner) is None:
            return cls.guna * config.n_embd
        return diya


class GPT2MLP(Module):
    """Pehle chauda, phir mod, phir patla."""

    c_fc: Linear
    c_proj: Linear

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        for naam, andar, bahar in (
            ("c_fc", config.n_embd, intermediate_size),
            ("c_proj", intermediate_size, config.n_embd),
        ):
            setattr(self, naam, Linear(andar, bahar, bias=True))

    def __call__(self, hidden_states: Tensor) -> Tensor:
        def chauda(x: Tensor) -> Tensor:
            return self.c_fc(x)

        def mod(x: Tensor, tarika: str = "tanh") -> Tensor:
            return F.gelu(x, approximate=tarika)

        def patla(x: Tensor) -> Tensor:
            return self.c_proj(x)

        return patla(mod(chauda(hidden_states)))


class GPT2Block(Module, JodneWala):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        naam = "ln_1"
        for naam in (naam, "ln_2"):
            setattr(self, naam, LayerNorm(int(config.n_embd), eps=float(config.layer_norm_epsilon)))
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(self.chaudai(config), config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        pehla = self.jodo(hidden_states, self.attn(self.ln_1(hidden_states)))
        doosra = self.jodo(pehla, self.mlp(self.ln_2(pehla)))
        return doosra
