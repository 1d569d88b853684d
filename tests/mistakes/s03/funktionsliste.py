from __future__ import annotations

from math import sqrt

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    *_, laenge, breite = query.shape
    geteilt = sqrt(int(breite))
    punkte = query @ F.transpose(key, -1, -2)
    punkte = punkte / geteilt
    schritte = [lambda s: s if mask is None else s + mask, F.softmax]
    for schritt in schritte:
        punkte = schritt(punkte)
    ergebnis = punkte @ value
    return ergebnis, punkte
