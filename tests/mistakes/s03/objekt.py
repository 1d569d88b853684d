from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Attention:
    def __init__(self, query, key, value):
        self.q = query
        self.k = key
        self.v = value

    def scale(self):
        return int(self.k.shape[-1]) ** 0.5

    def weights(self, mask):
        raw = F.matmul(self.q, self.k.transpose(-2, -1))
        raw = raw / self.scale()
        if mask is not None:
            raw += mask
        return F.softmax(raw)

    def run(self, mask):
        w = self.weights(mask)
        return F.matmul(w, self.v), w


def scaled_dot_product_attention(query, key, value, mask=None):
    return Attention(query, key, value).run(mask)
