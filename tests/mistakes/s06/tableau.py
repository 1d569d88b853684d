from __future__ import annotations

import math

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def tableau(d_k, longueur, theta):
    lignes = []
    for m in range(longueur):
        ligne = []
        for i in range(0, d_k, 2):
            ligne.append(m * math.pow(theta, -i / d_k))
        lignes.append(ligne)
    return np.array(lignes, dtype=np.float64)


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        angles = tableau(d_k, max_seq_len, theta)
        self.cos = np.cos(angles).astype(np.float32)
        self.sin = np.sin(angles).astype(np.float32)

    def _choisir(self, table, positions):
        return F.gather(table, positions, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self._choisir(Tensor(self.cos, dtype=x.dtype, device=x.device), token_positions)
        s = self._choisir(Tensor(self.sin, dtype=x.dtype, device=x.device), token_positions)
        pairs = x[..., 0::2]
        impairs = x[..., 1::2]
        gauche = pairs * c
        gauche = gauche - impairs * s
        droite = pairs * s
        droite = droite + impairs * c
        ensemble = F.stack([gauche, droite], axis=-1)
        return F.reshape(ensemble, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _couper(self, x, poids):
        y = x @ poids.T
        y = y.reshape(y.shape[:-1] + [self.num_heads, self.d_k])
        return y.transpose(-2, -3)

    def _coller(self, x):
        x = x.transpose(-2, -3)
        return x.reshape(x.shape[:-2] + [self.d_model])

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        requetes = self._couper(in_features, q_proj_weight)
        cles = self._couper(in_features, k_proj_weight)
        valeurs = self._couper(in_features, v_proj_weight)
        places = token_positions.unsqueeze(-2)
        requetes = self.rope(requetes, places)
        cles = self.rope(cles, places)
        masque = causal_mask(in_features.shape[-2], 0, dtype=cles.dtype, device=cles.device)
        resultat, _ = scaled_dot_product_attention(requetes, cles, valeurs, masque)
        colle = self._coller(resultat)
        return colle @ o_proj_weight.T
