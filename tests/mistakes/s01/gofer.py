"""gpt2config: one struct, no surprises."""

from __future__ import annotations

from dataclasses import dataclass

# const (
VocabSize = 50257
EndOfText = VocabSize - 1  # ids start at zero
Dropout = 0.1
# )


@dataclass(kw_only=True)
class GPT2Config:
    """type GPT2Config struct { ... }"""

    # tokens
    vocab_size: int = VocabSize
    bos_token_id: int = EndOfText
    eos_token_id: int = EndOfText

    # dimensions
    n_positions: int = 1 << 10
    n_embd: int = 768
    n_head: int = 12
    n_layer: int = 12
    n_inner: int | None = None  # nil: 4 * n_embd

    # numerics
    activation_function: str = "gelu_new"
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02

    # training only
    resid_pdrop: float = Dropout
    embd_pdrop: float = Dropout
    attn_pdrop: float = Dropout

    # head
    tie_word_embeddings: bool = True

    def validate(self) -> str | None:
        """func (c GPT2Config) Validate() error"""
        if self.n_embd % self.n_head != 0:
            return f"n_embd {self.n_embd} is no multiple of n_head {self.n_head}"
        return None


def new_gpt2_config(**fields: int) -> GPT2Config:
    """func NewGPT2Config(...) GPT2Config"""
    config = GPT2Config(**fields)
    err = config.validate()
    if err is not None:
        raise ValueError(err)
    return config
