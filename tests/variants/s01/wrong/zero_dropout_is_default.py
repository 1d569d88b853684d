# concept: named
# check: named
"""Step 01: the configuration of a GPT-2 model.

A GPT-2 is described by a handful of numbers: how many tokens it knows, how wide its vectors
are, how many layers and heads it has. This file writes them down once, under the names and with
the defaults that Hugging Face uses, so that every later step and every checkpoint agrees.

Tasks:
    1. Import ``dataclass``.
    2. Make ``GPT2Config`` a dataclass.
    3. Replace each None with its default: the sizes, the activation, the dropout
       probabilities, the numerical constants, the special tokens, the tied output layer.

Run: ./pixiw run s01
"""

from __future__ import annotations

from dataclasses import dataclass



@dataclass
class GPT2Config:
    """Sizes and constants of a GPT-2 model.

    Names and defaults are those of Hugging Face's ``GPT2Config`` and describe the smallest
    GPT-2, with 124 million parameters.
    """

    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12

    # The width of the feed-forward layer. This None is not a blank: it means 4 * n_embd.
    n_inner: int | None = None

    activation_function: str = "gelu_new"

    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1

    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    bos_token_id: int = 50256
    eos_token_id: int = 50256

    tie_word_embeddings: bool = True

    def __post_init__(self) -> None:
        self.attn_pdrop = self.attn_pdrop or 0.1
