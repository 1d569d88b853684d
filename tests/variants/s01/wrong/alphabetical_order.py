# concept: named
# check: named
from dataclasses import dataclass


@dataclass
class GPT2Config:
    activation_function: str = "gelu_new"
    attn_pdrop: float = 0.1
    bos_token_id: int = 50256
    embd_pdrop: float = 0.1
    eos_token_id: int = 50256
    initializer_range: float = 0.02
    layer_norm_epsilon: float = 1e-5
    n_embd: int = 768
    n_head: int = 12
    n_inner: int | None = None
    n_layer: int = 12
    n_positions: int = 1024
    resid_pdrop: float = 0.1
    tie_word_embeddings: bool = True
    vocab_size: int = 50257
