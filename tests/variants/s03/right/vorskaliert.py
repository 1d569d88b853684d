"""Skaliert wird die Anfrage, bevor sie auf die Schlüssel trifft."""

from __future__ import annotations

from math import sqrt

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def kopfbreite(tensor: Tensor) -> int:
    *_, letzte = tensor.shape
    return int(letzte)


def mit_maske(punkte: Tensor, maske: Tensor | None) -> Tensor:
    """Die Punkte, und die Maske dazu, falls es eine gibt."""
    if maske is None:
        return punkte
    return F.add(maske, punkte)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    anfrage, schluessel, wert = query, key, value
    anfrage = F.mul(anfrage, 1.0 / sqrt(kopfbreite(schluessel)))
    punkte = F.matmul(anfrage, schluessel.T)
    punkte = mit_maske(punkte, mask)
    return F.matmul(anteile := F.softmax(punkte, axis=-1), wert), anteile
