from dataclasses import dataclass


@dataclass
class GPT2Config:
    vocab_size: int = 50_000 + 256 + 1
    n_positions: int = 2**10
    n_embd: int = 12 * 64
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None
    activation_function: str = "gelu_new"
    resid_pdrop: float = .1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 10**-5
    initializer_range: float = 2 / 100
    bos_token_id: int = 50256
    eos_token_id: int = 50257 - 1
    tie_word_embeddings: bool = True
