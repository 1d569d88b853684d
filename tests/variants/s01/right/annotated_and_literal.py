from dataclasses import dataclass
from typing import Annotated, Literal

Probability = Annotated[float, "between 0 and 1"]


@dataclass
class GPT2Config:
    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None
    activation_function: Literal["gelu_new", "gelu"] = "gelu_new"
    resid_pdrop: Probability = 0.1
    embd_pdrop: Probability = 0.1
    attn_pdrop: Probability = 0.1
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02
    bos_token_id: int = 50256
    eos_token_id: int = 50256
    tie_word_embeddings: bool = True
