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

# >>> blank: imports
# TODO: Import the decorator that writes __init__ from a class's fields.
# Hint: It is called dataclass and lives in the standard module dataclasses.
# stub:
from dataclasses import dataclass

# <<< blank


# >>> blank: decorator
# TODO: Decorate the class, so that GPT2Config(n_embd=20, n_head=5) works.
# Hint: A decorator is a line of its own above the class: @ and its name.
# stub:
@dataclass
# <<< blank
class GPT2Config:
    """Sizes and constants of a GPT-2 model.

    Names and defaults are those of Hugging Face's ``GPT2Config`` and describe the smallest
    GPT-2, with 124 million parameters.
    """

    # >>> blank: sizes
    # TODO: Set the five sizes of the smallest GPT-2.
    # Hint: 50257 tokens, 1024 positions, vectors of 768 numbers, 12 layers, 12 heads.
    # stub: vocab_size: int = None
    # stub: n_positions: int = None
    # stub: n_embd: int = None
    # stub: n_layer: int = None
    # stub: n_head: int = None
    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    # <<< blank

    # The width of the feed-forward layer. This None is not a blank: it means 4 * n_embd.
    n_inner: int | None = None

    # >>> blank: activation
    # TODO: Name the activation of the feed-forward layer.
    # Hint: GPT-2's variant of GELU is called "gelu_new".
    # stub: activation_function: str = None
    activation_function: str = "gelu_new"
    # <<< blank

    # >>> blank: dropout
    # TODO: Set the three dropout probabilities: residual, embedding, attention.
    # Hint: All three are 0.1. Only training uses them.
    # stub: resid_pdrop: float = None
    # stub: embd_pdrop: float = None
    # stub: attn_pdrop: float = None
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    # <<< blank

    # >>> blank: constants
    # TODO: Set the epsilon of layer normalization and the standard deviation of new weights.
    # Hint: 1e-5 and 0.02.
    # stub: layer_norm_epsilon: float = None
    # stub: initializer_range: float = None
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02
    # <<< blank

    # >>> blank: tokens
    # TODO: Set the ids of the tokens that begin and end a text.
    # Hint: GPT-2 uses one token for both, the last of the vocabulary: id 50256.
    # stub: bos_token_id: int = None
    # stub: eos_token_id: int = None
    bos_token_id: int = 50256
    eos_token_id: int = 50256
    # <<< blank

    # >>> blank: tied-head
    # TODO: Say that the output layer shares its weights with the token embedding.
    # Hint: A bool; it is true for GPT-2.
    # stub: tie_word_embeddings: bool = None
    tie_word_embeddings: bool = True
    # <<< blank
