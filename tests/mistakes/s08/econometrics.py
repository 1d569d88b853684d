"""Step 08: standardize each observation, then add the fitted part to the data."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

FEATURES = -1  # the axis of the regressors


def demean(sample: Tensor) -> Tensor:
    """Deviations from the sample mean."""
    return F.sub(sample, F.mean(sample, axis=FEATURES))


def dispersion(deviations: Tensor) -> Tensor:
    """Population variance (no Bessel correction)."""
    n_obs = int(deviations.shape[FEATURES])
    sum_of_squares = F.sum(F.pow(deviations, 2.0), axis=FEATURES)
    return sum_of_squares / n_obs


class LayerNorm(Module):
    """z-scores of each row, with slope (weight) and intercept (bias)."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = Tensor.full([dim], 1.0)
        self.bias = Tensor.full([dim], 0.0)

    def __call__(self, x: Tensor) -> Tensor:
        deviations = demean(x)
        sigma2 = dispersion(deviations)
        # inverse of the standard deviation, ridge term included
        precision = F.rsqrt(sigma2 + self.eps)
        z_score = deviations * precision
        slope, intercept = self.weight, self.bias
        return intercept + slope * z_score


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Fitted value of the normalized data plus the data."""
    standardized = norm(x)
    fitted = sublayer(standardized)
    return F.add(x, fitted)
