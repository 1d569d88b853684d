from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.breite = config.n_embd
        self.koepfe = config.n_head
        self.kopfbreite = self.breite // self.koepfe
        self.c_attn = Linear(self.breite, 3 * self.breite, bias=True)
        self.c_proj = Linear(self.breite, self.breite, bias=True)

    def ein_kopf(self, frage: Tensor, schluessel: Tensor, wert: Tensor) -> Tensor:
        punkte = frage @ schluessel.transpose(-1, -2)
        punkte = punkte / math.sqrt(self.kopfbreite)
        laenge = frage.shape[-2]
        maske = causal_mask(laenge, 0, dtype=frage.dtype, device=frage.device)
        gewichte = F.softmax(punkte + maske)
        return gewichte @ wert

    def forward(self, x: Tensor) -> Tensor:
        alles = self.c_attn(x)
        fragen, schluessel, werte = F.split(alles, [self.breite] * 3, axis=-1)
        ergebnisse = []
        for nummer in range(self.koepfe):
            von = nummer * self.kopfbreite
            bis = von + self.kopfbreite
            ergebnis = self.ein_kopf(
                fragen[:, :, von:bis],
                schluessel[:, :, von:bis],
                werte[:, :, von:bis],
            )
            ergebnisse.append(ergebnis)
        zusammen = F.concat(ergebnisse, axis=-1)
        return self.c_proj(zusammen)
