"""LayerNorm and residual, organised like a LightningModule: hparams, forward, no boilerplate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


@dataclass(frozen=True)
class HParams:
    dim: int
    eps: float


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.hparams = HParams(dim=dim, eps=eps)
        self.configure_parameters()

    @property
    def eps(self) -> float:
        return self.hparams.eps

    def configure_parameters(self) -> None:
        shape = [self.hparams.dim]
        self.weight = Tensor.ones(shape)
        self.bias = Tensor.zeros(shape)

    def _moments(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and biased variance over the features."""
        mu = F.mean(x, axis=-1)
        delta = x - mu
        var = F.mean(delta**2, axis=-1)
        return mu, var

    def forward(self, x: Tensor) -> Tensor:
        mu, var = self._moments(x)
        inv_std = F.rsqrt(var + self.hparams.eps)
        x_hat = (x - mu) * inv_std
        out = x_hat * self.weight
        out = out + self.bias
        return out


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Skip connection, pre-norm."""
    skip = x
    batch = norm(x)
    step_output = sublayer(batch)
    return skip + step_output
