"""La configuration en trois morceaux, réunis par héritage."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass
class Tailles:
    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None


@dataclass
class Nombres(Tailles):
    activation_function: str = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-05
    initializer_range: float = 0.02


@dataclass
class GPT2Config(Nombres):
    """Toutes les valeurs du plus petit GPT-2."""

    bos_token_id: int = 50256
    eos_token_id: int = 50256
    tie_word_embeddings: bool = True

    def largeur_de_tete(self) -> int:
        quotient, reste = divmod(self.n_embd, self.n_head)
        assert reste == 0, "n_embd doit être un multiple de n_head"
        return quotient


def resume(configuration: GPT2Config, *, separateur: str = ", ") -> str:
    """Une ligne de texte, pour lire les champs qui ont changé."""
    paires = []
    for champ in dataclasses.fields(configuration):
        valeur = getattr(configuration, champ.name)
        if valeur != champ.default:
            paires.append(f"{champ.name}={valeur}")
    return separateur.join(paires)
