"""Konfiguration, mit allen Zahlen als Konstanten am Anfang der Datei."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

WORTSCHATZ = 50_257
LETZTES_TOKEN = WORTSCHATZ - 1
STELLEN = 2**10
KOPFBREITE = 64
KOEPFE = SCHICHTEN = 12
AUSFALL = 1 / 10
AKTIVIERUNG = "gelu" + "_" + "new"


@dataclass
class GPT2Config:
    """Was eine GPT-2 von einer anderen unterscheidet."""

    vocab_size: int = WORTSCHATZ
    n_positions: int = STELLEN
    n_embd: int = KOEPFE * KOPFBREITE
    n_layer: int = SCHICHTEN
    n_head: int = KOEPFE
    n_inner: int | None = None
    activation_function: str = AKTIVIERUNG
    resid_pdrop: float = AUSFALL
    embd_pdrop: float = AUSFALL
    attn_pdrop: float = AUSFALL
    layer_norm_epsilon: float = 0.00001
    initializer_range: float = 2e-2
    bos_token_id: int = LETZTES_TOKEN
    eos_token_id: int = LETZTES_TOKEN
    tie_word_embeddings: bool = not False

    @property
    def innere_breite(self) -> int:
        """Breite innerhalb des Feed-Forward-Netzes."""
        if (breite := self.n_inner) is None:
            return self.n_embd * 4
        return breite

    def als_woerterbuch(self) -> dict:
        return asdict(self)


def feldnamen() -> list[str]:
    return [feld.name for feld in fields(GPT2Config)]
