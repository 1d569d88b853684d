"""Schritt 1."""
from dataclasses import dataclass


class Konst:
    WORTSCHATZ = 50257
    LAENGE = 1024
    BREITE = 768
    KOEPFE = 12


@dataclass
class GPT2Config:
    vocab_size: int = Konst.WORTSCHATZ
    n_positions: int = Konst.LAENGE
    n_embd: int = Konst.BREITE
    n_layer: int = 12
    n_head: int = Konst.KOEPFE
    n_inner: int | None = None
    activation_function: str = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02
    bos_token_id: int = Konst.WORTSCHATZ - 1
    eos_token_id: int = Konst.WORTSCHATZ - 1
    tie_word_embeddings: bool = True
