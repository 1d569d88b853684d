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

# TODO: Import the decorator that writes __init__ from a class's fields.
# Hint: It is called dataclass and lives in the standard module dataclasses.


# TODO: Decorate the class, so that GPT2Config(n_embd=20, n_head=5) works.
# Hint: A decorator is a line of its own above the class: @ and its name.
class GPT2Config:
    """Sizes and constants of a GPT-2 model.

    Names and defaults are those of Hugging Face's ``GPT2Config`` and describe the smallest
    GPT-2, with 124 million parameters.
    """

    # TODO: Set the five sizes of the smallest GPT-2.
    # Hint: 50257 tokens, 1024 positions, vectors of 768 numbers, 12 layers, 12 heads.
    vocab_size: int = None
    n_positions: int = None
    n_embd: int = None
    n_layer: int = None
    n_head: int = None

    # The width of the feed-forward layer. This None is not a blank: it means 4 * n_embd.
    n_inner: int | None = None

    # TODO: Name the activation of the feed-forward layer.
    # Hint: GPT-2's variant of GELU is called "gelu_new".
    activation_function: str = None

    # TODO: Set the three dropout probabilities: residual, embedding, attention.
    # Hint: All three are 0.1. Only training uses them.
    resid_pdrop: float = None
    embd_pdrop: float = None
    attn_pdrop: float = None

    # TODO: Set the epsilon of layer normalization and the standard deviation of new weights.
    # Hint: 1e-5 and 0.02.
    layer_norm_epsilon: float = None
    initializer_range: float = None

    # TODO: Set the ids of the tokens that begin and end a text.
    # Hint: GPT-2 uses one token for both, the last of the vocabulary: id 50256.
    bos_token_id: int = None
    eos_token_id: int = None

    # TODO: Say that the output layer shares its weights with the token embedding.
    # Hint: A bool; it is true for GPT-2.
    tie_word_embeddings: bool = None
