"""GPT-2 configuration module.

Defines the hyperparameters of the GPT-2 (124M) model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Optional

DEFAULT_VOCAB_SIZE: Final[int] = 50257
DEFAULT_CONTEXT: Final[int] = 1024


def _probability(default: float) -> float:
    """Create a field for a dropout probability."""
    return field(default=default, metadata={"range": (0.0, 1.0)})


@dataclass
class GPT2Config:
    """All hyperparameters of the model."""

    # --- architecture ---
    vocab_size: int = DEFAULT_VOCAB_SIZE  # size of the vocabulary
    n_positions: int = DEFAULT_CONTEXT  # maximum sequence length
    n_embd: int = 768  # embedding width
    n_layer: int = 12  # transformer blocks
    n_head: int = 12  # attention heads
    n_inner: Optional[int] = None  # None means 4 * n_embd
    activation_function: str = "gelu_new"

    # --- regularization ---
    resid_pdrop: float = _probability(0.1)
    embd_pdrop: float = _probability(0.1)
    attn_pdrop: float = _probability(0.1)

    # --- numerics ---
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    # --- tokens ---
    bos_token_id: int = DEFAULT_VOCAB_SIZE - 1
    eos_token_id: int = DEFAULT_VOCAB_SIZE - 1
    tie_word_embeddings: bool = True
