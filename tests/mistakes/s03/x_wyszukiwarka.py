"""Krok 03: uwaga jako wyszukiwarka. Zapytania, indeks, treść stron."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _trafnosc(zapytania: Tensor, indeks: Tensor) -> Tensor:
    """Relevance of every page for every query."""
    szerokosc = int(zapytania.shape[-1])
    return F.matmul(zapytania * szerokosc**-0.5, indeks.T)


def _ranking(oceny: Tensor) -> Tensor:
    """Relevance to shares; the shares of one query sum to 1."""
    najlepsza = F.max(oceny, axis=-1)  # keeps the dimension
    licznik = F.exp(oceny - najlepsza)
    suma = F.sum(licznik, axis=-1)
    return licznik / suma


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Mixture of pages for each query, and the ranking behind it."""
    oceny = _trafnosc(query, key)
    widoczne = oceny
    if mask is not None:
        widoczne = oceny + mask
    wagi = _ranking(widoczne)
    wynik = F.matmul(wagi, value)
    return wynik, wagi
