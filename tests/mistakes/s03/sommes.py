import math

from max.experimental import functional as F


def scaled_dot_product_attention(query, key, value, mask=None):
    q = query.unsqueeze(-2)  # [..., n, 1, d]
    k = key.unsqueeze(-3)  # [..., 1, m, d]
    produits = F.sum(q * k, axis=-1).squeeze(-1)
    d = int(query.shape[-1])
    points = produits / math.sqrt(d)
    if mask is not None:
        points = points + mask
    poids = F.softmax(points, axis=-1)
    p = poids.unsqueeze(-1)  # [..., n, m, 1]
    v = value.unsqueeze(-3)  # [..., 1, m, e]
    sortie = F.sum(p * v, axis=-2).squeeze(-2)
    return sortie, poids
