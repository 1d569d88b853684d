from dataclasses import dataclass
from typing import Any


@dataclass
class GPT2Config:
    vocab_size: Any = 50257
    n_positions: Any = 1024
    n_embd: Any = 768
    n_layer: Any = 12
    n_head: Any = 12
    n_inner: Any = None
    activation_function: Any = "gelu_new"
    resid_pdrop: Any = 0.1
    embd_pdrop: Any = 0.1
    attn_pdrop: Any = 0.1
    layer_norm_epsilon: Any = 1e-5
    initializer_range: Any = 0.02
    bos_token_id: Any = 50256
    eos_token_id: Any = 50256
    tie_word_embeddings: Any = True
