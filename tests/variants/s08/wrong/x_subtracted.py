# concept: input-subtracted
# check: residual, residual-numbers
from max.experimental import nn


class LayerNorm(nn.LayerNorm):
    """MAX has the layer already."""

    def __init__(self, dim, eps=1e-5):
        super().__init__(dim, eps=eps)


def residual(x, norm, sublayer):
    return sublayer(norm(x)) - x
