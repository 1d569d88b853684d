"""Step 01: the settings sheet of a GPT-2.

Every number has its cell here. The cells are checked when a configuration is made, like the
data validation of a workbook, so that a typing error shows up here and not ten sheets later.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

# The header block: values that more than one cell below refers to.
LAST_TOKEN = 50256
DROPOUT = 0.1

WHOLE_NUMBERS = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")
PROBABILITIES = ("resid_pdrop", "embd_pdrop", "attn_pdrop")


def is_whole(value) -> bool:
    """A count: 1, 2, 3, ... (True counts as a number in Excel, but not here)."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_share(value) -> bool:
    """Between 0 % and 100 %."""
    return 0.0 <= value <= 1.0


def complain(cell, value, wanted):
    raise ValueError(f"{cell} is {value!r}, but should be {wanted}")


@dataclass
class GPT2Config:
    """One row of settings. The defaults are the small GPT-2."""

    # Sizes
    vocab_size: int = LAST_TOKEN + 1
    n_positions: int = 2**10
    n_embd: int = 12 * 64
    n_layer: int = 12
    n_head: int = 12

    # Feed-forward; an empty cell means 4 * n_embd
    n_inner: int | None = None
    activation_function: str = "gelu_new"

    # Dropout
    resid_pdrop: float = DROPOUT
    embd_pdrop: float = DROPOUT
    attn_pdrop: float = DROPOUT

    # Constants
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    # Tokens: the same one begins and ends a text
    bos_token_id: int = LAST_TOKEN
    eos_token_id: int = LAST_TOKEN

    tie_word_embeddings: bool = True

    def __post_init__(self):
        """Data validation."""
        for cell in fields(self):
            value = getattr(self, cell.name)
            if cell.name in WHOLE_NUMBERS and not is_whole(value):
                complain(cell.name, value, "a whole number from 1 up")
            if cell.name in PROBABILITIES and not is_share(value):
                complain(cell.name, value, "a number between 0 and 1")
        if self.n_inner is not None and not is_whole(self.n_inner):
            complain("n_inner", self.n_inner, "empty or a whole number from 1 up")
