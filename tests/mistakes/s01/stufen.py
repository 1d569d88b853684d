from __future__ import annotations

import dataclasses

KILO = 1024
KOEPFE = 12
JE_KOPF = 64
ENDE = 50256


@dataclasses.dataclass(kw_only=True)
class GPT2Config:
    vocab_size: int = ENDE + 1
    n_positions: int = KILO
    n_embd: int = KOEPFE * JE_KOPF
    n_layer: int = 12
    n_head: int = KOEPFE
    n_inner: int | None = None
    activation_function: str = "_".join(["gelu", "new"])
    resid_pdrop: float = 1 / 10
    embd_pdrop: float = 1 / 10
    attn_pdrop: float = 1 / 10
    layer_norm_epsilon: float = 10**-5
    initializer_range: float = 2 / 100
    bos_token_id: int = ENDE
    eos_token_id: int = ENDE
    tie_word_embeddings: bool = True
