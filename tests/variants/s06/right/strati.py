import math

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def velocita(coppia, larghezza, base):
    return math.exp(-math.log(base) * 2 * coppia / larghezza)


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        self.coppie = d_k // 2
        passi = np.array([velocita(c, d_k, theta) for c in range(self.coppie)])
        posti = np.arange(max_seq_len).reshape(-1, 1)
        self.angoli = posti * passi

    def forward(self, x, token_positions):
        angoli = Tensor(self.angoli, dtype=DType.float64, device=x.device)
        angoli = F.gather(angoli, token_positions, axis=0)
        c, s = F.cos(angoli).cast(x.dtype), F.sin(angoli).cast(x.dtype)
        davanti = x.shape[:-1]
        coppie = x.reshape(davanti + [self.coppie, 2])
        a = coppie[..., 0]
        b = coppie[..., 1]
        girate = F.stack([a * c - b * s, b * c + a * s], axis=-1)
        return girate.reshape(davanti + [2 * self.coppie])


class Teste:
    def __init__(self, quante):
        self.quante = quante

    def apri(self, x):
        *davanti, lungo, largo = x.shape
        x = x.reshape([*davanti, lungo, self.quante, int(largo) // self.quante])
        return x.transpose(-3, -2)

    def chiudi(self, x):
        x = x.transpose(-3, -2)
        *davanti, teste, piccolo = x.shape
        return x.reshape([*davanti, int(teste) * int(piccolo)])


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.teste = num_heads
        self.gira = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def forward(
        self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions
    ):
        teste = Teste(self.teste)
        posti = token_positions.unsqueeze(-2)
        domande = self.gira(teste.apri(in_features @ q_proj_weight.T), posti)
        chiavi = self.gira(teste.apri(in_features @ k_proj_weight.T), posti)
        valori = teste.apri(in_features @ v_proj_weight.T)
        lungo = domande.shape[-2]
        maschera = causal_mask(lungo, 0, dtype=valori.dtype, device=valori.device)
        uscita, pesi = scaled_dot_product_attention(domande, chiavi, valori, maschera)
        return teste.chiudi(uscita) @ o_proj_weight.T
