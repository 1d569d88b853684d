from dataclasses import dataclass, field

TAUX = 0.1


@dataclass
class GPT2Config:
    vocab_size: int = field(default=50257)
    n_positions: int = field(default=1024)
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: "int | None" = None
    activation_function: str = "gelu" + "_new"
    resid_pdrop: float = TAUX
    embd_pdrop: float = TAUX
    attn_pdrop: float = TAUX
    layer_norm_epsilon: float = 10 ** -5
    initializer_range: float = 0.02
    bos_token_id: int = 50256
    eos_token_id: int = 50256
    tie_word_embeddings: bool = True

    def head_dim(self):
        return self.n_embd // self.n_head
