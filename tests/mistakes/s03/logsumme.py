import math

from max.experimental import functional as F


class Aufmerksamkeit:
    def __init__(self, frage, schluessel):
        self.frage = frage
        self.schluessel = schluessel

    @property
    def skala(self):
        return 1 / math.sqrt(int(self.frage.shape[-1]))

    @property
    def punkte(self):
        gedreht = self.schluessel.transpose(-1, -2)
        return self.skala * (self.frage @ gedreht)

    def gewichte(self, maske):
        p = self.punkte
        if maske is not None:
            p = p + maske
        spitze = F.max(p, axis=-1)
        summe = F.sum(F.exp(p - spitze), axis=-1)
        log = spitze + F.log(summe)
        return F.exp(p - log)


def scaled_dot_product_attention(query, key, value, mask=None):
    a = Aufmerksamkeit(query, key)
    w = a.gewichte(mask)
    return w @ value, w
