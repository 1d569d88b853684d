"""La rueda: tablas de ancho completo y una copia girada un cuarto de vuelta."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention

PRIMERO = slice(0, None, 2)
SEGUNDO = slice(1, None, 2)


def cuarto_de_vuelta(x: Tensor) -> Tensor:
    """(a, b) pasa a (-b, a) en cada par de vecinos."""
    par, impar = x[..., PRIMERO], x[..., SEGUNDO]
    juntos = F.concat([(-impar).unsqueeze(-1), par.unsqueeze(-1)], axis=-1)
    return juntos.reshape(x.shape)


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_k = d_k
        self.max_seq_len = max_seq_len
        self.theta = theta
        angulos = np.zeros((max_seq_len, d_k), dtype=np.float64)
        for columna in range(d_k):
            rapidez = theta ** (-(columna - columna % 2) / d_k)
            angulos[:, columna] = np.arange(max_seq_len) * rapidez
        self.tablas = {
            "cos": np.float32(np.cos(angulos)),
            "sin": np.float32(np.sin(angulos)),
        }

    @property
    def cos(self) -> np.ndarray:
        return self.tablas["cos"][:, ::2]

    @property
    def sin(self) -> np.ndarray:
        return self.tablas["sin"][:, ::2]

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        filas = {
            nombre: F.gather(
                input=Tensor(tabla, dtype=x.dtype, device=x.device),
                indices=token_positions,
                axis=0,
            )
            for nombre, tabla in self.tablas.items()
        }
        return filas["cos"] * x + filas["sin"] * cuarto_de_vuelta(x)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        forma = list(x.shape)
        ultimo = forma.pop()
        forma += [self.num_heads, int(ultimo) // self.num_heads]
        return F.transpose(F.reshape(x, forma), -3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return F.flatten(F.transpose(x, -3, -2), start_dim=-2, end_dim=-1)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        n = self.d_model
        todo = F.concat([q_proj_weight, k_proj_weight, v_proj_weight], axis=0)
        junto = in_features @ todo.T
        izq, centro, der = F.split(junto, [n, n, n], axis=-1)
        posiciones = token_positions
        posiciones = posiciones.unsqueeze(-2)
        izq = self.rope(self._split_heads(izq), posiciones)
        centro = self.rope(self._split_heads(centro), posiciones)
        der = self._split_heads(der)
        tapa = causal_mask(in_features.shape[-2], 0, dtype=izq.dtype, device=izq.device)
        salida, _pesos = scaled_dot_product_attention(izq, centro, der, tapa)
        return self._merge_heads(salida) @ o_proj_weight.T
