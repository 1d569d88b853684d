"""Step 08: standardize each row of the data, then fit and add (the residual)."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


def first_moment(x: Tensor) -> tuple[Tensor, int]:
    """Mean of each row, and the number of observations in it."""
    n = int(x.shape[-1])
    mu = F.sum(x, axis=-1) / n
    return mu, n


def second_moment(d: Tensor, n: int) -> Tensor:
    """Population variance (divisor n, not n - 1) of the deviations d."""
    ss = F.sum(F.pow(d, 2.0), axis=-1)
    return ss / n


class LayerNorm(Module):
    """z-scores per token, with slope and intercept."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        p = dim
        self.weight = Tensor.full([p], 1.0)  # slope
        self.bias = Tensor.full([p], 0.0)  # intercept
        self.eps = eps

    def scale_(self, x: Tensor) -> Tensor:
        """Like R's scale(), but along the rows and with eps."""
        mu, n = first_moment(x)
        d = x - mu
        s2 = second_moment(d, n)
        precision = F.rsqrt(s2 + self.eps)
        z = d * precision
        return z

    def forward(self, x: Tensor) -> Tensor:
        z = self.scale_(x)
        yhat = self.bias + z * self.weight
        return yhat


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Observed plus fitted."""
    z = norm(x)
    fitted = sublayer(z)
    y = fitted + x
    return y
