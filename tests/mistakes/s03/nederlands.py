from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Aandacht:
    """Aandacht in drie stappen."""

    def __init__(self, vragen, sleutels, waarden):
        self.vragen = vragen
        self.sleutels = sleutels
        self.waarden = waarden
        self.breedte = int(vragen.shape[-1])

    def scores(self):
        geschaald = self.vragen / math.sqrt(self.breedte)
        return geschaald @ self.sleutels.transpose(-1, -2)

    def gewichten(self, masker):
        ruw = self.scores()
        if masker is None:
            return F.softmax(ruw)
        return F.softmax(ruw + masker)

    def mengen(self, masker):
        gewichten = self.gewichten(masker)
        return gewichten @ self.waarden, gewichten


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    return Aandacht(query, key, value).mengen(mask)
