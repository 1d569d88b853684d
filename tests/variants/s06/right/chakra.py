"""Ek hi taalika: har jagah ke liye cos aur sin saath-saath."""

from __future__ import annotations

import math

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention

COS, SIN = 0, 1


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        aadha = d_k // 2
        log_theta = math.log(theta)
        gati = [math.exp(-2 * jodi * log_theta / d_k) for jodi in range(aadha)]
        taalika = np.empty((max_seq_len, 2, aadha), dtype=np.float32)
        for sthan in range(max_seq_len):
            for jodi, g in enumerate(gati):
                kon = sthan * g
                taalika[sthan, COS, jodi] = math.cos(kon)
                taalika[sthan, SIN, jodi] = math.sin(kon)
        self.taalika = taalika

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        taalika = Tensor(self.taalika, device=x.device, dtype=x.dtype)
        chuna = F.gather(taalika, token_positions, axis=0)  # [..., seq, 2, d_k / 2]
        c = chuna[..., COS, :]
        s = chuna[..., SIN, :]
        sam, visham = x[..., ::2], x[..., 1::2]
        new_sam = sam * c
        new_visham = visham * c
        new_sam -= visham * s
        new_visham += sam * s
        jode = F.stack([new_sam, new_visham], -1)
        return F.reshape(jode, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        if not (num_heads > 0 and d_model % (2 * num_heads) == 0):
            raise ValueError("d_model / num_heads sam hona chahiye")
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(int(d_model / num_heads), max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        sir = self.d_model // self.num_heads
        tukde = F.split(x, [sir] * self.num_heads, axis=-1)
        return F.stack(tukde, axis=-3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        tukde = [x[..., i, :, :] for i in range(self.num_heads)]
        return F.concat(tukde, axis=-1)

    def _prakshep(self, bhaar: Tensor, x: Tensor) -> Tensor:
        return F.matmul(x, bhaar.T)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        sthan = F.unsqueeze(token_positions, -2)

        def sir_banao(bhaar: Tensor, ghumao: bool = False) -> Tensor:
            h = self._split_heads(self._prakshep(bhaar, in_features))
            return self.rope(h, sthan) if ghumao == True else h  # noqa: E712

        v = sir_banao(v_proj_weight)
        k = sir_banao(k_proj_weight, True)
        q = sir_banao(q_proj_weight, ghumao=True)
        naqab = causal_mask(v.shape[-2], 0, dtype=v.dtype, device=v.device)
        phal, _ = scaled_dot_product_attention(value=v, key=k, query=q, mask=naqab)
        return self._prakshep(o_proj_weight, self._merge_heads(phal))
