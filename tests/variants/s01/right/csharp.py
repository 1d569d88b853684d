"""Step 01: GPT-2 settings, kept the way I keep engine settings: constants first, then the type."""

from __future__ import annotations

import dataclasses
from typing import Optional


class Defaults:
    """What would be a static class full of `public const` in the engine."""

    VOCAB_SIZE = 50257
    MAX_TOKENS = 1024
    EMBED_WIDTH = 768
    LAYER_COUNT = 12
    HEAD_COUNT = 12
    ACTIVATION = "gelu_new"
    DROPOUT = 0.1
    EPSILON = 1e-5
    INIT_STD = 0.02
    END_OF_TEXT = VOCAB_SIZE - 1  # ids are indices, so the last one is Count - 1


@dataclasses.dataclass
class GPT2Config:
    """Serializable settings of one GPT-2."""

    # --- sizes ---
    vocab_size: int = Defaults.VOCAB_SIZE
    n_positions: int = Defaults.MAX_TOKENS
    n_embd: int = Defaults.EMBED_WIDTH
    n_layer: int = Defaults.LAYER_COUNT
    n_head: int = Defaults.HEAD_COUNT

    # --- feed-forward (None == "not overridden in the inspector") ---
    n_inner: Optional[int] = None
    activation_function: str = Defaults.ACTIVATION

    # --- dropout ---
    resid_pdrop: float = Defaults.DROPOUT
    embd_pdrop: float = Defaults.DROPOUT
    attn_pdrop: float = Defaults.DROPOUT

    # --- numerics ---
    layer_norm_epsilon: float = Defaults.EPSILON
    initializer_range: float = Defaults.INIT_STD

    # --- special tokens ---
    bos_token_id: int = Defaults.END_OF_TEXT
    eos_token_id: int = Defaults.END_OF_TEXT
    tie_word_embeddings: bool = True
