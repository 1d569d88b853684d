from __future__ import annotations

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        ioiko = np.arange(d_k // 2)
        inv_freq = 1.0 / theta ** (2 * ioiko / d_k)
        pozice = np.arange(max_seq_len)[:, None]
        uhly = pozice * inv_freq[None, :]
        self.kosiny = np.cos(uhly).astype(np.float32)
        self.siny = np.sin(uhly).astype(np.float32)

    def _radky(self, tabulka, kde, vzor):
        plna = Tensor(tabulka, dtype=vzor.dtype, device=vzor.device)
        return F.gather(plna, kde, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        c = self._radky(self.kosiny, token_positions, x)
        s = self._radky(self.siny, token_positions, x)
        dvojice = x.reshape(x.shape[:-1] + [x.shape[-1] // 2, 2])
        prvni = dvojice[..., 0]
        druhy = dvojice[..., 1]
        novy_prvni = prvni * c - druhy * s
        novy_druhy = druhy * c + prvni * s
        spojeno = F.stack([novy_prvni, novy_druhy], axis=-1)
        return spojeno.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.hlavy = num_heads
        self.d_hlavy = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_hlavy, max_seq_len, theta)

    def _na_hlavy(self, x, vaha):
        y = x @ vaha.transpose(0, 1)
        tvar = [*y.shape[:-1], self.hlavy, self.d_hlavy]
        return y.reshape(tvar).transpose(-2, -3)

    def _z_hlav(self, x):
        x = x.transpose(-2, -3)
        return x.reshape([*x.shape[:-2], self.hlavy * self.d_hlavy])

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        delka = in_features.shape[-2]
        kde = token_positions.unsqueeze(-2)
        q = self.rope(self._na_hlavy(in_features, q_proj_weight), kde)
        k = self.rope(self._na_hlavy(in_features, k_proj_weight), kde)
        v = self._na_hlavy(in_features, v_proj_weight)
        maska = causal_mask(delka, 0, dtype=q.dtype, device=q.device)
        vystup, _vahy = scaled_dot_product_attention(q, k, v, mask=maska)
        return self._z_hlav(vystup) @ o_proj_weight.transpose(0, 1)
