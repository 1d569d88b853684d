"""Paso 09: todo en español, con un bucle por las dos mitades."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import max.experimental.functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

Capa = Callable[[Tensor], Tensor]


def aplicar(entrada: Tensor, *capas: Capa) -> Tensor:
    """Una capa después de otra."""
    salida = entrada
    for capa in capas:
        salida = capa(salida)
    return salida


class GPT2MLP(Module):
    """Ensanchar, doblar, estrechar."""

    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        if not isinstance(intermediate_size, int):
            raise TypeError(f"el ancho debe ser un entero, no {type(intermediate_size).__name__}")
        ancho = config.n_embd
        self.c_fc = Linear(in_dim=ancho, out_dim=intermediate_size)
        self.c_proj = Linear(in_dim=intermediate_size, out_dim=ancho)

    @staticmethod
    def _doblar(x: Tensor) -> Tensor:
        return F.gelu(x, approximate="tanh")

    def __call__(self, hidden_states: Tensor) -> Tensor:
        return aplicar(hidden_states, self.c_fc, self._doblar, self.c_proj)


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = (
            LayerNorm(config.n_embd, eps=config.layer_norm_epsilon) for _ in range(2)
        )
        self.attn = GPT2Attention(config)
        ancho_interior = config.n_inner
        if ancho_interior is None:
            ancho_interior = config.n_embd << 2
        self.mlp = GPT2MLP(ancho_interior, config)

    def _mitades(self) -> Iterator[tuple[LayerNorm, Capa]]:
        yield self.ln_1, self.attn
        yield self.ln_2, self.mlp

    def __call__(self, hidden_states: Tensor) -> Tensor:
        corriente = hidden_states
        for norma, capa in self._mitades():
            corriente = corriente + aplicar(corriente, norma, capa)
        return corriente
