"""Configuration contract of a GPT-2 model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final, Optional

# ---------------------------------------------------------------------------
# Constants
# ---------------------------------------------------------------------------

DEFAULT_VOCABULARY_SIZE: Final[int] = 50257
DEFAULT_MAXIMUM_SEQUENCE_LENGTH: Final[int] = 1024
DEFAULT_EMBEDDING_WIDTH: Final[int] = 768
DEFAULT_NUMBER_OF_LAYERS: Final[int] = 12
DEFAULT_NUMBER_OF_HEADS: Final[int] = 12
DEFAULT_ACTIVATION_FUNCTION_NAME: Final[str] = "gelu_new"
DEFAULT_DROPOUT_PROBABILITY: Final[float] = 0.1
DEFAULT_LAYER_NORM_EPSILON: Final[float] = 1e-5
DEFAULT_INITIALIZER_RANGE: Final[float] = 0.02
END_OF_TEXT_TOKEN_ID: Final[int] = DEFAULT_VOCABULARY_SIZE - 1


class InvalidConfigurationError(ValueError):
    """Thrown when a configuration violates an invariant."""


@dataclass
class GPT2Config:
    """Immutable-by-convention value object with the hyperparameters of GPT-2."""

    # Names of the fields that must be strictly positive. Static, hence not a field.
    _POSITIVE_FIELD_NAMES: ClassVar[tuple[str, ...]] = (
        "vocab_size",
        "n_positions",
        "n_embd",
        "n_layer",
        "n_head",
    )

    # --- sizes ---
    vocab_size: int = field(default=DEFAULT_VOCABULARY_SIZE)
    n_positions: int = field(default=DEFAULT_MAXIMUM_SEQUENCE_LENGTH)
    n_embd: int = field(default=DEFAULT_EMBEDDING_WIDTH)
    n_layer: int = field(default=DEFAULT_NUMBER_OF_LAYERS)
    n_head: int = field(default=DEFAULT_NUMBER_OF_HEADS)
    n_inner: Optional[int] = field(default=None)

    # --- feed-forward network ---
    activation_function: str = field(default=DEFAULT_ACTIVATION_FUNCTION_NAME)

    # --- regularisation ---
    resid_pdrop: float = field(default=DEFAULT_DROPOUT_PROBABILITY)
    embd_pdrop: float = field(default=DEFAULT_DROPOUT_PROBABILITY)
    attn_pdrop: float = field(default=DEFAULT_DROPOUT_PROBABILITY)

    # --- numerics ---
    layer_norm_epsilon: float = field(default=DEFAULT_LAYER_NORM_EPSILON)
    initializer_range: float = field(default=DEFAULT_INITIALIZER_RANGE)

    # --- special tokens ---
    bos_token_id: int = field(default=END_OF_TEXT_TOKEN_ID)
    eos_token_id: int = field(default=END_OF_TEXT_TOKEN_ID)

    # --- output layer ---
    tie_word_embeddings: bool = field(default=True)

    def __post_init__(self) -> None:
        """Validates the invariants after construction."""
        for field_name in self._POSITIVE_FIELD_NAMES:
            self._require_positive(field_name)

    def _require_positive(self, field_name: str) -> None:
        field_value = getattr(self, field_name)
        if field_value <= 0:
            raise InvalidConfigurationError(f"{field_name} must be positive: {field_value}")
