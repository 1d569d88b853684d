"""Los valores por defecto van en field(), y los tamaños conocidos en un diccionario."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar


@dataclass()
class GPT2Config:
    TAMANOS: ClassVar[dict[str, tuple[int, int, int]]] = {
        "small": (768, 12, 12),
        "medium": (1024, 24, 16),
        "large": (1280, 36, 20),
        "xl": (1600, 48, 25),
    }

    vocab_size: int = field(default=50257)
    n_positions: int = field(default=1024)
    n_embd: int = field(default=768)
    n_layer: int = field(default=12)
    n_head: int = field(default=12)

    n_inner: int | None = field(default=None)
    activation_function: str = field(default="gelu_new")

    resid_pdrop: float = field(default=0.1, repr=True)
    embd_pdrop: float = field(default=0.1, repr=True)
    attn_pdrop: float = field(default=0.1, repr=True)

    layer_norm_epsilon: float = field(default=1e-5)
    initializer_range: float = field(default_factory=lambda: 0.02)

    bos_token_id: int = field(default=50256)
    eos_token_id: int = field(default=50256)
    tie_word_embeddings: bool = field(default=True)

    @classmethod
    def de_tamano(cls, nombre: str) -> GPT2Config:
        try:
            ancho, capas, cabezas = cls.TAMANOS[nombre]
        except KeyError as error:
            raise ValueError(f"tamaño desconocido: {nombre!r}") from error
        return cls(n_embd=ancho, n_layer=capas, n_head=cabezas)

    def con(self, **cambios: object) -> GPT2Config:
        """Una copia con otros valores."""
        return replace(self, **cambios)
