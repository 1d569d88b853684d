from __future__ import annotations

from math import sqrt

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def couper(x: Tensor, tetes: int) -> Tensor:
    lot, longueur, largeur = x.shape
    return x.reshape([lot, longueur, tetes, int(largeur) // tetes]).permute([0, 2, 1, 3])


def recoller(x: Tensor) -> Tensor:
    lot, tetes, longueur, par_tete = x.shape
    return x.permute([0, 2, 1, 3]).reshape([lot, longueur, tetes * par_tete])


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        largeur = self.n_embd
        qkv = self.c_attn(hidden_states)
        q = couper(qkv[:, :, :largeur], self.n_head)
        k = couper(qkv[:, :, largeur : 2 * largeur], self.n_head)
        v = couper(qkv[:, :, 2 * largeur :], self.n_head)
        echelle = 1.0 / sqrt(largeur // self.n_head)
        masque = causal_mask(q.shape[2], 0, dtype=q.dtype, device=q.device)
        poids = F.softmax(q @ k.transpose(2, 3) * echelle + masque, axis=-1)
        return self.c_proj(recoller(poids @ v))
