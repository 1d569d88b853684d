# step 8: layer norm from scratch (jaise video mein batch norm banaya tha)

import max.experimental.functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        # gamma and beta, but HF names
        self.weight = Tensor.full([dim], 1.0)
        self.bias = Tensor.full([dim], 0.0)

    def __call__(self, x):
        # first the ausat (mean) of each token
        ausat = F.mean(x, axis=-1)
        antar = x - ausat

        # now we do the variance
        varg = antar**2
        phailav = F.mean(varg, axis=-1)

        # unit variance
        ulta_mool = F.rsqrt(phailav + self.eps)
        xhat = antar * ulta_mool

        # scale and shift
        out = self.weight * xhat + self.bias
        return out


def residual(x, norm, sublayer):
    # the highway! x goes straight
    shuddh = norm(x)
    badlav = sublayer(shuddh)
    x = x + badlav
    return x
