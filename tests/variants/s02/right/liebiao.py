"""Yong putong de Python liebiao zuo yanma, zuihou cai bian cheng zhangliang."""

from __future__ import annotations

from collections.abc import Iterator

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

KEJIAN = 0.0
YINCANG = float("-inf")


class Yanma:
    """Yi hang yi hang de chansheng yanma."""

    def __init__(self, jiu: int, xin: int):
        self.jiu = jiu
        self.xin = xin
        self.shuoming = "yinguo yanma"  # meiyou ren du ta

    @property
    def kuandu(self) -> int:
        return self.jiu + self.xin

    def hang(self) -> Iterator[list[float]]:
        for di_ji in range(1, self.xin + 1):
            kejian = self.jiu + di_ji
            yincang = self.kuandu - kejian
            yield [KEJIAN] * kejian + [YINCANG] * yincang


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    yanma = Yanma(int(Dim(num_tokens)), int(Dim(sequence_length)))
    return Tensor(list(yanma.hang()), dtype=dtype, device=device)
