import math
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def normalise(punkte):
    hoch = F.exp(punkte - F.max(punkte, axis=-1))
    return hoch / F.sum(hoch, axis=-1)


def skaliert(matrix, teiler):
    return matrix * (1 / teiler)


def scaled_dot_product_attention(query, key, value, mask=None):
    tiefe = int(key.shape[-1])
    frage = skaliert(query, math.sqrt(tiefe))
    punkte = F.matmul(frage, key.transpose(-2, -1))
    punkte = punkte + (0.0 if mask is None else mask)
    gewichte = normalise(punkte)
    ergebnis = F.matmul(gewichte, value)
    return ergebnis, gewichte
