"""Step 08: layer normalization is a z score for each token."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

ITEMS = -1  # the items of the questionnaire: a token's features


def deviations(scores: Tensor) -> Tensor:
    """Each score minus the mean of its own case."""
    case_mean = F.mean(scores, axis=ITEMS)  # [..., 1]
    return scores - case_mean


def population_variance(devs: Tensor) -> Tensor:
    """DESCRIPTIVES would divide by N - 1; here it is N."""
    n_items = int(devs.shape[ITEMS])
    sum_of_squares = F.sum(devs**2, axis=ITEMS)  # [..., 1]
    return sum_of_squares / n_items


def z_scores(scores: Tensor, eps: float) -> Tensor:
    """(x - M) / SD, case by case."""
    devs = deviations(scores)
    variance = population_variance(devs)
    return devs * F.rsqrt(variance + eps)


class LayerNorm(Module):
    """z scores, then a learned slope (weight) and intercept (bias)."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        slope, intercept = 1.0, 0.0
        self.weight = Tensor.full([dim], slope)
        self.bias = Tensor.full([dim], intercept)
        self.eps = eps

    def __call__(self, x: Tensor) -> Tensor:
        z = z_scores(x, self.eps)
        weighted = self.weight * z
        return weighted + self.bias


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Baseline plus treatment effect; the treatment sees the standardized baseline."""
    baseline = x
    standardized = norm(baseline)
    effect = sublayer(standardized)
    return baseline + effect
