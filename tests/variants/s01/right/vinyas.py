"""Vinyas: GPT-2 ki sankhyaen. Kuchh mulya pehle rakhe, phir badle jaate hain."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Optional, Union

_MULYA = json.loads(
    """
    {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12,
     "layer_norm_epsilon": 1e-05, "initializer_range": 0.02, "tie_word_embeddings": true}
    """
)
_sambhavna = None
if _sambhavna is None:
    _sambhavna = 0.1


def _mulya(naam: str, varna: Union[int, float, None] = None):
    return _MULYA.get(naam, varna)


@dataclass
class GPT2Config:
    vocab_size: int = _mulya("vocab_size")
    n_positions: int = _mulya("n_positions")
    n_embd: int = _mulya("n_embd")
    n_layer: int = _mulya("n_layer")
    n_head: int = _mulya("n_head")
    n_inner: Optional[int] = _mulya("n_inner")
    activation_function: str = "_".join(["gelu", "new"])
    resid_pdrop: float = _sambhavna
    embd_pdrop: float = _sambhavna
    attn_pdrop: float = _sambhavna
    layer_norm_epsilon: float = _mulya("layer_norm_epsilon")
    initializer_range: float = _mulya("initializer_range")
    bos_token_id: int = vocab_size - 1
    eos_token_id: int = bos_token_id
    tie_word_embeddings: bool = _mulya("tie_word_embeddings", False)

    @staticmethod
    def file_se(path: str) -> "GPT2Config":
        """config.json padhta hai; anjaan naam chhod diye jaate hain."""
        jaane = {kshetra.name for kshetra in fields(GPT2Config)}
        with open(path, encoding="utf-8") as file:
            sab = json.load(file)
        return GPT2Config(**{naam: mulya for naam, mulya in sab.items() if naam in jaane})
