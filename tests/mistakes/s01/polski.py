from __future__ import annotations

from dataclasses import dataclass, field

SLOWNIK = 50257
SZEROKOSC = 768
WYGASZANIE = 0.1
KONIEC_TEKSTU = SLOWNIK - 1


@dataclass
class GPT2Config:
    """Konfiguracja modelu."""

    vocab_size: int = SLOWNIK
    n_positions: int = field(default=1024)
    n_embd: int = SZEROKOSC
    n_layer: int = 12
    n_head: int = SZEROKOSC // 64
    n_inner: int | None = field(default=None)
    activation_function: str = "gelu_new"
    resid_pdrop: float = WYGASZANIE
    embd_pdrop: float = WYGASZANIE
    attn_pdrop: float = WYGASZANIE
    layer_norm_epsilon: float = 10**-5
    initializer_range: float = 0.02
    bos_token_id: int = KONIEC_TEKSTU
    eos_token_id: int = KONIEC_TEKSTU
    tie_word_embeddings: bool = True

    @property
    def szerokosc_glowy(self) -> int:
        return self.n_embd // self.n_head

    def opis(self) -> str:
        return f"{self.n_layer} warstw, {self.n_head} glow"
