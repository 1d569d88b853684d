from dataclasses import dataclass, fields

VOCABULARIO = 50257


@dataclass(kw_only=True)
class Base:
    vocab_size: int = VOCABULARIO
    n_positions: int = 1024
    n_inner: int | None = None
    tie_word_embeddings: bool = True

    def __post_init__(self):
        for campo in fields(self):
            if campo.name == "n_head":
                assert self.n_embd % self.n_head == 0


@dataclass(kw_only=True)
class GPT2Config(Base):
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    activation_function: str = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = resid_pdrop
    attn_pdrop: float = resid_pdrop
    layer_norm_epsilon: float = 0.00001
    initializer_range: float = 0.02
    bos_token_id: int = VOCABULARIO - 1
    eos_token_id: int = bos_token_id
