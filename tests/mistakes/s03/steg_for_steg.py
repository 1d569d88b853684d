"""Uppmärksamhet steg för steg. Varje steg är en egen funktion, med ett namn som säger vad den gör."""

from __future__ import annotations

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def steg_1_räkna_ut_poängen(frågor: Tensor, nycklar: Tensor) -> Tensor:
    # Varje fråga möter varje nyckel. Nycklarna måste ligga på tvären.
    nycklar_på_tvären = nycklar.T
    return F.matmul(frågor, nycklar_på_tvären)


def steg_2_skala_ner_poängen(poäng: Tensor, frågor: Tensor) -> Tensor:
    # Roten ur bredden: upphöjt till minus en halv.
    huvudets_bredd = int(frågor.shape[-1])
    skalfaktor = huvudets_bredd**-0.5
    return poäng * skalfaktor


def steg_3_lägg_på_masken(poäng: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return poäng
    return F.add(poäng, mask)


def steg_4_gör_vikter_av_poängen(poäng: Tensor) -> Tensor:
    # Softmax för hand. Den största poängen dras bort, så att exp aldrig blir för stort.
    största_poängen = F.max(poäng, axis=-1)
    exponenter = F.exp(poäng - största_poängen)
    radens_summa = F.sum(exponenter, axis=-1)
    return exponenter / radens_summa


def steg_5_blanda_värdena(vikter: Tensor, värden: Tensor) -> Tensor:
    return F.matmul(vikter, värden)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Alla fem stegen efter varandra."""
    poäng = steg_1_räkna_ut_poängen(query, key)
    skalade_poäng = steg_2_skala_ner_poängen(poäng, query)
    maskade_poäng = steg_3_lägg_på_masken(skalade_poäng, mask)
    vikter = steg_4_gör_vikter_av_poängen(maskade_poäng)
    blandning = steg_5_blanda_värdena(vikter, value)
    return blandning, vikter
