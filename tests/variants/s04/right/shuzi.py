"""Liang ge shuzi fang zai yige dataclass li."""

from __future__ import annotations

from dataclasses import dataclass

from max.driver import Device
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


@dataclass(frozen=True)
class Shuzi:
    leixing: DType
    shebei: Device

    def _zhangliang(self, zhi: float) -> Tensor:
        return Tensor(zhi, dtype=self.leixing, device=self.shebei)

    @property
    def kejian(self) -> Tensor:
        return self._zhangliang(0)

    @property
    def yincang(self) -> Tensor:
        return self._zhangliang(finfo(self.leixing).min)

    def xuanze(self, shi_tianchong: Tensor) -> Tensor:
        return F.where(shi_tianchong, self.yincang, self.kejian)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    shuzi = Shuzi(leixing=dtype, shebei=token_ids.device)
    shi_tianchong = token_ids == pad_token_id
    yanma = shuzi.xuanze(shi_tianchong)
    return yanma[:, None, None, :]


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    a, b = padding, causal
    new_a = F.min(a, b)
    new_b = new_a
    return new_b
