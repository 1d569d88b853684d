"""Xuanzhuan: yong yige changshu juzhen jiaohuan linju, zhuyili ziji xie."""

from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention  # noqa: F401


def jiaohuan(kuan: int) -> np.ndarray:
    """x @ juzhen: (a, b) bian (-b, a)."""
    xiao = np.array([[0.0, 1.0], [-1.0, 0.0]], dtype=np.float32)
    return np.kron(np.eye(kuan // 2, dtype=np.float32), xiao)


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        pinlv = 1.0 / theta ** (np.arange(0, d_k, 2, dtype=np.float64) / d_k)
        jiao = np.einsum("m,i->mi", np.arange(max_seq_len, dtype=np.float64), pinlv)
        jiao = np.repeat(jiao, 2, axis=1)
        self.cos, self.sin = (h(jiao).astype("float32") for h in (np.cos, np.sin))
        self.juzhen = jiaohuan(d_k)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        def zhangliang(shuzu: np.ndarray) -> Tensor:
            return Tensor(shuzu, dtype=x.dtype, device=x.device)

        yu = F.gather(zhangliang(self.cos), token_positions, 0)
        zheng = F.gather(zhangliang(self.sin), token_positions, 0)
        return x * yu + (x @ zhangliang(self.juzhen)) * zheng


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.rope = RotaryEmbedding(self.tou_kuan, max_seq_len, theta)
        self.zuida = max_seq_len

    @property
    def tou_kuan(self) -> int:
        return self.d_model // self.num_heads

    def _split_heads(self, x: Tensor) -> Tensor:
        wei = len(x.shape)
        x = x.reshape(x.shape[: wei - 1] + [self.num_heads, self.tou_kuan])
        shunxu = list(range(wei + 1))
        shunxu[wei - 2], shunxu[wei - 1] = shunxu[wei - 1], shunxu[wei - 2]
        return x.permute(shunxu)

    def _merge_heads(self, x: Tensor) -> Tensor:
        wei = x.rank
        shunxu = [*range(wei - 3), wei - 2, wei - 3, wei - 1]
        x = x.permute(shunxu)
        return x.reshape(x.shape[: wei - 2] + [self.d_model])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        weizhi = token_positions.unsqueeze(-2)
        # (W x^T)^T = x W^T
        zhuan = in_features.transpose(-1, -2)
        q1, k1, v1 = [
            (w @ zhuan).transpose(-1, -2) for w in (q_proj_weight, k_proj_weight, v_proj_weight)
        ]
        q2 = self.rope(self._split_heads(q1), weizhi)
        k2 = self.rope(self._split_heads(k1), weizhi)
        v2 = self._split_heads(v1)
        fen = (q2 * self.tou_kuan**-0.5) @ k2.transpose(-1, -2)
        fen = fen + causal_mask(fen.shape[-1], 0, dtype=fen.dtype, device=fen.device)
        return self._merge_heads(F.softmax(fen) @ v2) @ o_proj_weight.T
