"""The settings of a GPT-2, as one immutable data class."""

from __future__ import annotations

from dataclasses import dataclass, replace

# const val
END_OF_TEXT = 50_256
DROP_RATE = 1 / 10


@dataclass(frozen=True, kw_only=True)
class _Sizes:
    """open class: what makes one GPT-2 larger than another."""

    vocab_size: int = END_OF_TEXT + 1  # ids start at 0
    n_positions: int = 1 << 10
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None  # nullable on purpose


@dataclass(frozen=True, kw_only=True)
class GPT2Config(_Sizes):
    """data class: the sizes, and what all GPT-2s have in common."""

    activation_function: str = "gelu_new"
    tie_word_embeddings: bool = True

    # numerics
    initializer_range: float = 2e-2
    layer_norm_epsilon: float = 1e-5

    # ids
    eos_token_id: int = END_OF_TEXT
    bos_token_id: int = eos_token_id

    # training
    attn_pdrop: float = DROP_RATE
    embd_pdrop: float = DROP_RATE
    resid_pdrop: float = DROP_RATE

    def __post_init__(self) -> None:
        # init { require(...) }
        if self.n_embd % self.n_head != 0:
            raise ValueError(f"{self.n_embd} numbers cannot be shared by the heads")

    def copy(self, **changes: object) -> GPT2Config:
        """Kotlin's copy(): the same settings with a few changes."""
        return replace(self, **changes)
