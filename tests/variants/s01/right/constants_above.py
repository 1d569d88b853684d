from dataclasses import dataclass

VOCAB = 50257
WIDTH = 768
LAYERS = HEADS = 12
DROPOUT = 0.1


@dataclass
class GPT2Config:
    vocab_size: int = VOCAB
    n_positions: int = 1024
    n_embd: int = WIDTH
    n_layer: int = LAYERS
    n_head: int = HEADS
    n_inner: int | None = None
    activation_function: str = "gelu_new"
    resid_pdrop: float = DROPOUT
    embd_pdrop: float = DROPOUT
    attn_pdrop: float = DROPOUT
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02
    bos_token_id: int = VOCAB - 1
    eos_token_id: int = VOCAB - 1
    tie_word_embeddings: bool = True
