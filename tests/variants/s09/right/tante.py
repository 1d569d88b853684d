"""Schritt 09, mit deutschen Namen und kleinen Helfern."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

VIERFACH = 4
NAEHERUNG = "tanh"


def breite_der_mitte(konfiguration: GPT2Config) -> int:
    breite = konfiguration.n_embd * VIERFACH
    if konfiguration.n_inner is not None:
        breite = konfiguration.n_inner
    return breite


def neue_norm(epsilon: float, breite: int) -> LayerNorm:
    # Hier kommt das Epsilon zuerst.
    return LayerNorm(breite, epsilon)


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        aussen, innen = config.n_embd, intermediate_size
        self.c_proj = Linear(innen, aussen, bias=True)
        self.c_fc = Linear(aussen, innen, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        breit = self.c_fc(hidden_states)
        gebogen = F.gelu(breit, NAEHERUNG)
        schmal = self.c_proj(gebogen)
        return schmal


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        breite, epsilon = config.n_embd, config.layer_norm_epsilon
        self.mlp = GPT2MLP(breite_der_mitte(config), config)
        self.attn = GPT2Attention(config)
        self.ln_2 = neue_norm(epsilon, breite)
        self.ln_1 = neue_norm(epsilon, breite)

    def _zuwachs(self, strom: Tensor, norm: LayerNorm, schicht: Module) -> Tensor:
        return schicht(norm(strom))

    def __call__(self, hidden_states: Tensor) -> Tensor:
        strom = hidden_states
        gefunden = self._zuwachs(strom, self.ln_1, self.attn)
        strom = gefunden + strom
        gefunden = self._zuwachs(strom, self.ln_2, self.mlp)
        strom = gefunden + strom
        return strom
