"""GPT2Config as an immutable case class: smart constructors, no literals twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import mul
from typing import Final, Optional

# --- small pure functions -------------------------------------------------------------------


def product(*factors: int) -> int:
    return reduce(mul, factors, 1)


def pred(n: int) -> int:
    return n - 1


def power_of_ten(exponent: int) -> float:
    return float(f"1e{exponent}")


# --- smart constructors ---------------------------------------------------------------------

case_class = partial(dataclass, frozen=True)
probability: Callable[..., float] = partial(field, default=0.1)
token: Callable[..., int] = partial(field, kw_only=True)

# --- val ... --------------------------------------------------------------------------------

HEADS: Final = 12
HEAD_DIM: Final = 64
VOCABULARY: Final = 50257
END_OF_TEXT: Final = pred(VOCABULARY)


@case_class
class GPT2Config:
    """final case class GPT2Config(vocabSize: Int = 50257, ...)"""

    vocab_size: int = VOCABULARY
    n_positions: int = 2**10
    n_embd: int = product(HEADS, HEAD_DIM)
    n_layer: int = 12
    n_head: int = HEADS
    n_inner: Optional[int] = None  # None.getOrElse(4 * n_embd), in the block
    activation_function: str = "_".join(("gelu", "new"))
    resid_pdrop: float = probability()
    embd_pdrop: float = probability()
    attn_pdrop: float = probability()
    layer_norm_epsilon: float = power_of_ten(-5)
    initializer_range: float = field(default=2e-2)
    bos_token_id: int = token(default=END_OF_TEXT)
    eos_token_id: int = token(default=END_OF_TEXT)
    tie_word_embeddings: bool = field(default=True)
