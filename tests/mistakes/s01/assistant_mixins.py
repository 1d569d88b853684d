from dataclasses import dataclass, field


@dataclass
class Sizes:
    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None


@dataclass
class Training(Sizes):
    activation_function: str = "gelu_new"
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 0.02


def last_token(vocabulary=50257):
    return vocabulary - 1


@dataclass
class GPT2Config(Training):
    bos_token_id: int = field(default_factory=last_token)
    eos_token_id: int = field(default_factory=last_token)
    tie_word_embeddings: bool = True

    @property
    def head_dim(self):
        return self.n_embd // self.n_head
