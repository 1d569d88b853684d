"""GPT-2's numbers, each one built from small total functions."""

from __future__ import annotations

from dataclasses import dataclass, field


def succ(n: int) -> int:
    return n + 1


def pow2(k: int) -> int:
    return 2 ** k


def neg_exp10(mantissa: int, k: int) -> float:
    return float(f"{mantissa}e-{k}")


# The last id of the vocabulary: end of text, and also its beginning.
END_OF_TEXT = 50256
HEAD_WIDTH = pow2(6)
HEADS = 12
P_DROP = 0.1


@dataclass(kw_only=True)
class GPT2Config:
    """A record with defaults; think of `def` from Data.Default."""

    # ids run from 0 to END_OF_TEXT
    vocab_size: int = succ(END_OF_TEXT)
    bos_token_id: int = END_OF_TEXT
    eos_token_id: int = END_OF_TEXT

    # shape of the model
    n_positions: int = pow2(10)
    n_embd: int = HEADS * HEAD_WIDTH
    n_layer: int = 12
    n_head: int = HEADS
    n_inner: int | None = None  # Nothing: four times n_embd

    # functions and constants
    activation_function: str = "gelu_new"
    layer_norm_epsilon: float = neg_exp10(1, 5)
    initializer_range: float = neg_exp10(2, 2)
    tie_word_embeddings: bool = True

    # training only
    resid_pdrop: float = field(default=P_DROP)
    embd_pdrop: float = field(default=P_DROP)
    attn_pdrop: float = field(default=P_DROP)
