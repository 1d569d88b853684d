"""Step 01: `struct GPT2Config` with `impl Default`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Optional

VOCAB: Final[int] = 50_257
LAST_ID: Final[int] = VOCAB - 1  # <|endoftext|>; ids are zero-based
P_DROP: Final[float] = 0.1


@dataclass(slots=True)
class GPT2Config:
    """All fields are public and every one has a default."""

    # usize
    vocab_size: int = VOCAB
    n_positions: int = 1 << 10
    n_embd: int = 3 * 256
    n_layer: int = 12
    n_head: int = 12

    # Option<usize>
    n_inner: Optional[int] = field(default=None)

    # &'static str
    activation_function: str = "gelu_new"

    # f32
    resid_pdrop: float = P_DROP
    embd_pdrop: float = P_DROP
    attn_pdrop: float = P_DROP
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    # u32
    bos_token_id: int = LAST_ID
    eos_token_id: int = LAST_ID

    # bool
    tie_word_embeddings: bool = True

    def inner_width(self) -> int:
        """self.n_inner.unwrap_or(4 * self.n_embd)"""
        match self.n_inner:
            case None:
                return 4 * self.n_embd
            case width:
                return width

    def with_fields(self, **changes: object) -> GPT2Config:
        """GPT2Config { ..self }"""
        return replace(self, **changes)
