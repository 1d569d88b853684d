from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Activation: TypeAlias = Literal["gelu_new", "gelu", "relu", "silu", "tanh"]

END_OF_TEXT = 50256


# interface Sizes
@dataclass
class Sizes:
    vocab_size: int = END_OF_TEXT + 1
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12


# interface FeedForward
@dataclass
class FeedForward:
    n_inner: int | None = None  # ?: number
    activation_function: Activation = "gelu_new"


# interface Training
@dataclass
class Training:
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    initializer_range: float = 0.02


# type GPT2Config = Sizes & FeedForward & Training & { ... }
@dataclass(kw_only=True)
class GPT2Config(Training, FeedForward, Sizes):
    layer_norm_epsilon: float = 10**-5
    bos_token_id: int = END_OF_TEXT
    eos_token_id: int = END_OF_TEXT
    tie_word_embeddings: bool = True

    @property
    def head_dim(self) -> int:
        return self.n_embd // self.n_head
