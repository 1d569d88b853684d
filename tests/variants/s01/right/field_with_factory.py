import dataclasses


@dataclasses.dataclass
class GPT2Config:
    vocab_size: int = dataclasses.field(default_factory=lambda: 50257)
    n_positions: int = dataclasses.field(default_factory=lambda: 1024)
    n_embd: int = dataclasses.field(default_factory=lambda: 768)
    n_layer: int = dataclasses.field(default_factory=lambda: 12)
    n_head: int = dataclasses.field(default_factory=lambda: 12)
    n_inner: int | None = dataclasses.field(default_factory=lambda: None)
    activation_function: str = dataclasses.field(default_factory=lambda: "gelu_new")
    resid_pdrop: float = dataclasses.field(default_factory=lambda: 0.1)
    embd_pdrop: float = dataclasses.field(default_factory=lambda: 0.1)
    attn_pdrop: float = dataclasses.field(default_factory=lambda: 0.1)
    layer_norm_epsilon: float = dataclasses.field(default_factory=lambda: 1e-5)
    initializer_range: float = dataclasses.field(default_factory=lambda: 0.02)
    bos_token_id: int = dataclasses.field(default_factory=lambda: 50256)
    eos_token_id: int = dataclasses.field(default_factory=lambda: 50256)
    tie_word_embeddings: bool = dataclasses.field(default_factory=lambda: True)
