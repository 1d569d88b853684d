"""Ma configuration GPT-2."""
from __future__ import annotations

from dataclasses import dataclass, field

_TOKENS = 50_257  # taille du vocabulaire
_LAST = _TOKENS - 1  # dernier identifiant


@dataclass(kw_only=True)
class GPT2Config:
    """Sizes and constants of a GPT-2 model."""

    # ids first, I like them on top
    vocab_size: int = _TOKENS
    bos_token_id: int = field(default=_LAST)
    eos_token_id: int = field(default=_LAST)

    n_positions: int = 2**10
    n_embd: int = 12 * 64
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None

    activation_function: str = "gelu_new"
    tie_word_embeddings: bool = True

    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1

    layer_norm_epsilon: float = 0.00001
    initializer_range: float = 2e-2
