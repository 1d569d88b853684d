"""Configuration bean for GPT-2."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Final, Optional


class Defaults:
    """public static final ..."""

    LAST_TOKEN: Final[int] = 50_256
    VOCAB_SIZE: Final[int] = LAST_TOKEN + 1
    MAX_POSITIONS: Final[int] = 1 << 10
    HEADS: Final[int] = 12
    LAYERS: Final[int] = 12
    HEAD_WIDTH: Final[int] = 64
    DROPOUT: Final[float] = 1.0 / 10


@dataclass(frozen=True)
class GPT2Config:
    vocab_size: int = Defaults.VOCAB_SIZE
    n_positions: int = Defaults.MAX_POSITIONS
    n_embd: int = Defaults.HEADS * Defaults.HEAD_WIDTH
    n_layer: int = Defaults.LAYERS
    n_head: int = Defaults.HEADS
    n_inner: Optional[int] = None
    activation_function: str = "gelu_new"
    resid_pdrop: float = field(default=Defaults.DROPOUT)
    embd_pdrop: float = field(default=Defaults.DROPOUT)
    attn_pdrop: float = field(default=Defaults.DROPOUT)
    layer_norm_epsilon: float = 1.0e-5
    initializer_range: float = 2e-2
    bos_token_id: int = Defaults.LAST_TOKEN
    eos_token_id: int = Defaults.LAST_TOKEN
    tie_word_embeddings: bool = field(default=True)

    def __post_init__(self) -> None:
        if self.n_embd % self.n_head != 0:
            raise ValueError(f"n_embd={self.n_embd} is no multiple of n_head={self.n_head}")

    def get_inner(self) -> int:
        return 4 * self.n_embd if self.n_inner is None else self.n_inner

    def to_map(self) -> dict[str, object]:
        return {f.name: getattr(self, f.name) for f in fields(self)}
