"""Mehrkopf-Aufmerksamkeit, mit kleinen Helfern auf Modulebene."""

from __future__ import annotations

import math
from dataclasses import dataclass

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask

ANZAHL_TEILE = 3
ACHSE_FOLGE = -2
ACHSE_MERKMALE = -1


@dataclass(frozen=True)
class Masse:
    """Breiten der Schicht."""

    koepfe: int
    gesamt: int

    @property
    def kopfbreite(self) -> int:
        return self.gesamt // self.koepfe

    @property
    def teile(self) -> list[int]:
        return ANZAHL_TEILE * [self.gesamt]


def tausche(x: Tensor) -> Tensor:
    """Folge und Koepfe vertauschen; zweimal angewandt aendert es nichts."""
    return x.transpose(ACHSE_FOLGE, ACHSE_FOLGE - 1)


def skaliere(faktor: float, x: Tensor) -> Tensor:
    return faktor * x


def unbenutzt(x: Tensor) -> Tensor:
    """Nie gerufen: Softmax ueber die falsche Achse, zur Abschreckung."""
    return F.softmax(x, axis=-2)


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        masse = Masse(gesamt=config.n_embd, koepfe=config.n_head)
        if masse.gesamt % masse.koepfe != 0:
            raise ValueError(f"{masse.koepfe} Koepfe teilen {masse.gesamt} nicht")
        self.embed_dim = masse.gesamt
        self.num_heads = masse.koepfe
        self.head_dim = masse.kopfbreite
        self.split_size = masse.gesamt
        breite_qkv = sum(masse.teile)
        self.c_attn = Linear(self.embed_dim, breite_qkv, bias=True)
        self.c_proj = Linear(in_dim=self.embed_dim, out_dim=self.embed_dim, bias=not False)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        *vorne, _ = tensor.shape
        return tausche(tensor.reshape([*vorne, num_heads, attn_head_size]))

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        getauscht = tausche(tensor)
        *vorne, _, _ = getauscht.shape
        return getauscht.reshape([*vorne, attn_head_size * num_heads])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        faktor = 1.0 / math.sqrt(int(key.shape[ACHSE_MERKMALE]))
        punkte = skaliere(faktor, query) @ key.transpose(ACHSE_MERKMALE, ACHSE_FOLGE)
        laenge = key.shape[ACHSE_FOLGE]
        maske = causal_mask(laenge, 0, dtype=punkte.dtype, device=punkte.device)
        gewichte = F.softmax(maske + punkte, axis=ACHSE_MERKMALE)
        return gewichte @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        alles = self.c_attn(hidden_states)
        stuecke = F.split(alles, [self.split_size] * ANZAHL_TEILE, axis=ACHSE_MERKMALE)
        frage, schluessel, wert = (
            self._split_heads(stueck, self.num_heads, self.head_dim) for stueck in stuecke
        )
        mischung = self._attn(frage, schluessel, wert)
        return self.c_proj(self._merge_heads(mischung, self.num_heads, self.head_dim))
