"""Layer normalization, kept like a ledger: one column after the other."""

from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

COLUMNS = -1  # the features of a token are the columns of its row


def row_average(table: Tensor) -> Tensor:
    """One average per row, kept as a column of width 1."""
    width = int(table.shape[COLUMNS])
    total = table.sum(axis=COLUMNS)
    return total / width


class LayerNorm(Module):
    """Normalizes every row by its own average and spread."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        n_columns = dim
        self.weight = Tensor.ones([n_columns])
        self.bias = Tensor.zeros([n_columns])

    def _spread(self, deviation: Tensor) -> Tensor:
        """Variance of each row, from its deviations."""
        squares = deviation**2
        return row_average(squares)

    def __call__(self, x: Tensor) -> Tensor:
        # 1. deviation of each column from the row's average
        average = row_average(x)
        deviation = x - average

        # 2. how far the row is spread out
        spread = self._spread(deviation)

        # 3. standardise
        factor = F.rsqrt(spread + self.eps)
        standard = deviation * factor

        # 4. learned columns
        weighted = standard * self.weight
        return weighted + self.bias


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Running total: the balance so far, plus what the sublayer books."""
    balance = x
    entry = sublayer(norm(balance))
    balance = balance + entry
    return balance
