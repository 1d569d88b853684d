"""Sab kuchh ulta: pehle key, phir query; ant mein sab kuchh palat kar seedha."""

from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def palto(t: Tensor, ek: int = -1, do: int = -2) -> Tensor:
    return t.transpose(ek, do)


def mool(t: Tensor) -> float:
    """Aakhiri lambai ka vargmool."""
    return math.sqrt(int(list(t.shape)[-1]))


def chhupao(ank: Tensor, mask: Tensor | None = None) -> Tensor:
    hai = mask is not None
    if hai == True:  # noqa: E712
        ank = ank - (-mask)
    return ank


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    # [..., key_len, query_len]
    ulte_ank = (key @ palto(query)) / mool(key)
    # [..., query_len, key_len]
    ank = chhupao(palto(ulte_ank), mask)
    bhaar = F.softmax(ank, -1)
    # (V^T W^T)^T = W V
    ulta_phal = palto(value) @ palto(bhaar)
    phal = palto(ulta_phal)
    return phal, bhaar
