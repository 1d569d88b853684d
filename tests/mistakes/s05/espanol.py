"""Atención con varias cabezas: columna por columna."""

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.factor = 1 / math.sqrt(self.head_dim)
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _columnas(self, proyectado, parte, cabeza):
        inicio = parte * self.embed_dim + cabeza * self.head_dim
        return proyectado[..., inicio : inicio + self.head_dim]

    def _una_cabeza(self, consulta, clave, valor, mascara):
        puntajes = consulta @ clave.transpose(-1, -2)
        puntajes = puntajes * self.factor
        pesos = F.softmax(puntajes + mascara)
        return pesos @ valor

    def forward(self, entrada):
        proyectado = self.c_attn(entrada)
        largo = entrada.shape[1]
        mascara = causal_mask(largo, 0, dtype=entrada.dtype, device=entrada.device)
        salidas = []
        for cabeza in range(self.num_heads):
            consulta = self._columnas(proyectado, 0, cabeza)
            clave = self._columnas(proyectado, 1, cabeza)
            valor = self._columnas(proyectado, 2, cabeza)
            salidas.append(self._una_cabeza(consulta, clave, valor, mascara))
        return self.c_proj(F.concat(salidas, axis=-1))
