"""Pingheng: yi bu yi bu, yong hanshu liebiao zuo liushuixian."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

Bu = Callable[[Tensor], Tensor]


def liushui(x: Tensor, buzhou: Iterable[Bu]) -> Tensor:
    """Cong zuo dao you zhixing meige buzhou."""
    return reduce(lambda zhi, bu: bu(zhi), buzhou, x)


class LayerNorm(Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = None
        self.bias = None
        if self.weight is None and self.bias is None:
            self.weight, self.bias = Tensor.ones((dim,)), Tensor.zeros((dim,))

    @property
    def buzhou(self) -> list[Bu]:
        """Si bu: zhongxin, suofang, quanzhong, pianyi."""
        return [
            self._zhongxin,
            self._suofang,
            lambda t: t * self.weight,
            lambda t: t + self.bias,
        ]

    def _zhongxin(self, t: Tensor) -> Tensor:
        return t - t.mean()  # moren zhou shi -1

    def _suofang(self, t: Tensor) -> Tensor:
        # t yijing meiyou junzhi, suoyi fangcha jiushi pingfang de junzhi
        fangcha = F.pow(t, 2).mean(-1)
        return t * (fangcha + self.eps) ** -0.5

    def __call__(self, x: Tensor) -> Tensor:
        jieguo = liushui(x, list(self.buzhou))
        return jieguo


def bu_bian(t: Tensor) -> Tensor:
    return t


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    zhi_lu, wan_lu = [bu_bian], [norm, sublayer]
    return liushui(x, zhi_lu) + liushui(x, wan_lu)
