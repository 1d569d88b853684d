import math

from max.experimental import functional as F


def breite(x):
    return int(x.shape[-1])


def normiert(zeilen):
    hoch = F.exp(zeilen - F.max(zeilen, axis=-1))
    return F.div(hoch, F.sum(hoch, axis=-1))


def scaled_dot_product_attention(query, key, value, mask=None):
    faktor = 1.0 / math.sqrt(breite(query))
    spalten = (key * faktor).transpose(-2, -1)
    werte = query @ spalten
    werte = werte if mask is None else F.add(mask, werte)
    gewichte = normiert(werte)
    ergebnis = (value.transpose(-2, -1) @ gewichte.transpose(-2, -1)).transpose(-2, -1)
    return ergebnis, gewichte
