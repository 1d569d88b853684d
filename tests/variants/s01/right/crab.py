"""Step 01: GPT-2's numbers, as a strict and frozen struct."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal

Activation = Literal["gelu", "gelu_new", "relu"]

LAST_ID: Final[int] = 50_256  # <|endoftext|>, the last id of the vocabulary


class ConfigError(ValueError):
    """The numbers contradict each other."""


def ensure(ok: bool, why: str) -> None:
    """Like assert!, but it cannot be switched off."""
    if not ok:
        raise ConfigError(why)


def divides(part: int, whole: int) -> bool:
    return whole % part == 0


@dataclass(frozen=True)
class GPT2Config:
    """All the numbers of a GPT-2. Build another one for another size."""

    vocab_size: int = LAST_ID + 1
    n_positions: int = 1_024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None  # Option<usize>: None is 4 * n_embd
    activation_function: Activation = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 2e-2
    bos_token_id: int = LAST_ID
    eos_token_id: int = LAST_ID
    tie_word_embeddings: bool = True

    def __post_init__(self) -> None:
        # a null in config.json is "not given": take the default
        for f in fields(self):
            if getattr(self, f.name) is None:
                object.__setattr__(self, f.name, f.default)
        self._check_sizes()
        self._check_probabilities()

    def _check_sizes(self) -> None:
        for size in (self.vocab_size, self.n_positions, self.n_embd, self.n_layer, self.n_head):
            ensure(size > 0, f"a size must be positive, not {size}")
        ensure(divides(self.n_head, self.n_embd), "n_head must divide n_embd")
        ensure(self.n_inner is None or self.n_inner > 0, "n_inner must be positive or None")

    def _check_probabilities(self) -> None:
        for p in (self.resid_pdrop, self.embd_pdrop, self.attn_pdrop):
            ensure(0.0 <= p <= 1.0, f"{p} is no probability")
