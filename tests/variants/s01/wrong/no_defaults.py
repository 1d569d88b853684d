# concept: builds
# check: builds
from dataclasses import dataclass


@dataclass
class GPT2Config:
    vocab_size: int
    n_positions: int
    n_embd: int
    n_layer: int
    n_head: int
    n_inner: int | None
    activation_function: str
    resid_pdrop: float
    embd_pdrop: float
    attn_pdrop: float
    layer_norm_epsilon: float
    initializer_range: float
    bos_token_id: int
    eos_token_id: int
    tie_word_embeddings: bool
