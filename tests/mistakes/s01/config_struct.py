"""GPT-2 configuration. Laid out like a C++ header: constants, a check macro, one plain struct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# ---- constexpr ----
K_NUM_HEADS: Final[int] = 12
K_HEAD_DIM: Final[int] = 64
K_EMBED_WIDTH: Final[int] = K_NUM_HEADS * K_HEAD_DIM  # 768
K_NUM_LAYERS: Final[int] = 12
K_MAX_POSITIONS: Final[int] = 1 << 10  # 1024
K_VOCAB_SIZE: Final[int] = 50257
K_LAST_TOKEN: Final[int] = K_VOCAB_SIZE - 1  # ids are 0-based
K_DROPOUT: Final[float] = 0.1
K_NORM_EPSILON: Final[float] = 1.0e-5
K_INIT_STDDEV: Final[float] = 2.0e-2


def _check(condition: bool, message: str) -> None:
    """An assert that is not compiled out."""
    if not condition:
        raise ValueError(message)


@dataclass
class GPT2Config:
    """POD struct; the members are ordered as in the lesson's table."""

    # sizes
    vocab_size: int = K_VOCAB_SIZE
    n_positions: int = K_MAX_POSITIONS
    n_embd: int = K_EMBED_WIDTH
    n_layer: int = K_NUM_LAYERS
    n_head: int = K_NUM_HEADS

    # feed-forward; None == "not set", the layer then uses 4 * n_embd
    n_inner: int | None = None
    activation_function: str = "gelu_new"

    # dropout, only for training
    resid_pdrop: float = K_DROPOUT
    embd_pdrop: float = K_DROPOUT
    attn_pdrop: float = K_DROPOUT

    # numerics
    layer_norm_epsilon: float = K_NORM_EPSILON
    initializer_range: float = K_INIT_STDDEV

    # special tokens, both the last id
    bos_token_id: int = K_LAST_TOKEN
    eos_token_id: int = K_LAST_TOKEN

    # flags
    tie_word_embeddings: bool = True

    def __post_init__(self) -> None:
        """Runs after the generated constructor."""
        _check(self.n_head > 0, "n_head must be positive")
        _check(self.n_embd % self.n_head == 0, "n_embd must be a multiple of n_head")
