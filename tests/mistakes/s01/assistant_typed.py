"""Model configuration (GPT-2 small defaults)."""

from __future__ import annotations

import dataclasses

# Architecture constants -------------------------------------------------
_VOCAB_SIZE = 50_257
_CONTEXT_LENGTH = 1_024
_HIDDEN_SIZE = 768
_DEPTH = 12


@dataclasses.dataclass(kw_only=True)
class GPT2Config:
    """Hyper-parameters of the model."""

    # Sizes
    vocab_size: int = _VOCAB_SIZE
    n_positions: int = _CONTEXT_LENGTH
    n_embd: int = _HIDDEN_SIZE
    n_layer: int = _DEPTH
    n_head: int = _DEPTH
    n_inner: int | None = None

    # Regularisation
    activation_function: str = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1

    # Numerics
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    # Special tokens
    bos_token_id: int = _VOCAB_SIZE - 1
    eos_token_id: int = _VOCAB_SIZE - 1
    tie_word_embeddings: bool = True
