"""Zhuyili zuo cheng yige duixiang, mei yi bu dou shi yige shuxing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _jiancha(wen: Tensor, jian: Tensor, zhi: Tensor) -> None:
    if int(wen.shape[-1]) != int(jian.shape[-1]):
        raise ValueError(f"kuandu butong: {wen.shape[-1]} he {jian.shape[-1]}")
    if int(jian.shape[-2]) != int(zhi.shape[-2]):
        raise ValueError(f"shuliang butong: {jian.shape[-2]} he {zhi.shape[-2]}")


@dataclass(eq=False)
class Zhuyili:
    wen: Tensor
    jian: Tensor
    zhi: Tensor
    yanma: Tensor | None

    @property
    def kuandu(self) -> int:
        return int(self.wen.shape[-1])

    @cached_property
    def fenshu(self) -> Tensor:
        fenshu = self.wen @ self.jian.transpose(-2, -1)
        fenshu = fenshu / math.sqrt(self.kuandu)
        return fenshu if self.yanma is None else fenshu + self.yanma

    @cached_property
    def quanzhong(self) -> Tensor:
        return F.softmax(self.fenshu)

    @cached_property
    def shuchu(self) -> Tensor:
        return self.quanzhong @ self.zhi

    def __iter__(self):
        yield self.shuchu
        yield self.quanzhong


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    _jiancha(query, key, value)
    zhuyili = Zhuyili(wen=query, jian=key, zhi=value, yanma=mask)
    return tuple(zhuyili)
