"""Zhinv: yi ci zhuan qkv de xingzhuang, zai yong ranhou de suoyin qu san fen."""

from __future__ import annotations

import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    hang = Dim(sequence_length)
    lie = Dim(num_tokens) + hang
    fu_wuqiong = Tensor(float("-inf"), dtype=dtype, device=device)
    quanbu = fu_wuqiong.broadcast_to([hang, lie])
    kejian = int(Dim(num_tokens))
    zhezhao = F.band_part(quanbu, num_lower=None, num_upper=kejian, exclude=True)
    return zhezhao


def jiancha(x: Tensor, weishu: int) -> Tensor:
    if not len(x.shape) == weishu:
        raise ValueError(f"yao {weishu} wei, bushi {len(x.shape)}")
    return x


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        n, h = config.n_embd, config.n_head
        self.embed_dim, self.num_heads, self.head_dim, self.split_size = n, h, n // h, n
        self.c_attn = Linear(n, n + n + n, bias=True)
        self.c_proj = Linear(n, n, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        xin = jiancha(tensor, 3).shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(xin).transpose(-2, -3)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        fan = jiancha(tensor, 4).transpose(-2, -3)
        return fan.reshape(fan.shape[:2] + [attn_head_size * num_heads])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        fenshu = query @ key.transpose(-1, -2)
        fenshu = fenshu * math.exp(-0.5 * math.log(self.head_dim))
        chang = fenshu.shape[-2]
        hei = causal_mask(chang, 0, dtype=fenshu.dtype, device=fenshu.device)
        # 0 de difang keyi kan, qita dou shi fu wuqiong
        fenshu = F.where(F.equal(hei, 0.0), fenshu, hei)
        return F.softmax(fenshu, axis=3) @ value

    def __call__(self, hidden_states: Tensor) -> Tensor:
        qkv = self.c_attn(hidden_states)
        qkv = qkv.reshape(qkv.shape[:-1] + [3, self.num_heads, self.head_dim])
        qkv = qkv.permute([2, 0, 3, 1, 4])  # [3, batch, n_head, seq, head_dim]
        zuo, zhong, you = (qkv[fen] for fen in range(3))
        jieguo = self._attn(query=zuo, value=you, key=zhong)
        jieguo = self._merge_heads(jieguo, self.num_heads, self.head_dim)
        return self.c_proj(jieguo)
