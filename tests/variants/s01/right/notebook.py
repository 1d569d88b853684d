from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np


# defaults == gpt2 small
@dataclass
class GPT2Config:
    vocab_size: int = 50_000 + 256 + 1  # merges + bytes + <|endoftext|>
    n_positions: int = 2**10
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None
    activation_function: str = "gelu_new"
    # dropout
    resid_pdrop: float = 0.1
    embd_pdrop: float = 0.1
    attn_pdrop: float = resid_pdrop
    # eps / std
    layer_norm_epsilon: float = 1e-5
    initializer_range: float = 2e-2
    # special tokens, both the last id
    bos_token_id: int = vocab_size - 1
    eos_token_id: int = vocab_size - 1
    tie_word_embeddings: bool = True


# quick look at the family
cols = ["n_embd", "n_layer", "n_head"]
tbl = np.array([[768, 12, 12], [1024, 24, 16], [1280, 36, 20], [1600, 48, 25]])
fam = {k: GPT2Config(**dict(zip(cols, r))) for k, r in zip("SMLX", tbl.tolist())}
print({k: c.n_embd // c.n_head for k, c in fam.items()})
# print(asdict(fam["S"]))
