from __future__ import annotations

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def drehe(gerade, ungerade, kosinus, sinus):
    """Dreht die Punkte (gerade, ungerade)."""
    return gerade * kosinus - ungerade * sinus, gerade * sinus + ungerade * kosinus


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        paare = d_k // 2
        winkel = np.zeros((max_seq_len, paare))
        for stelle in range(max_seq_len):
            for i in range(paare):
                winkel[stelle, i] = stelle / theta ** (2 * i / d_k)
        self.cos = np.cos(winkel).astype("float32")
        self.sin = np.sin(winkel).astype("float32")

    def _nachschlagen(self, tabelle, stellen, x):
        return F.gather(Tensor(tabelle, dtype=x.dtype, device=x.device), stellen, axis=0)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        kosinus = self._nachschlagen(self.cos, token_positions, x)
        sinus = self._nachschlagen(self.sin, token_positions, x)
        a, b = drehe(x[..., ::2], x[..., 1::2], kosinus, sinus)
        return F.stack([a, b], axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.breite = d_model // num_heads
        self.rope = RotaryEmbedding(self.breite, max_seq_len, theta)

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        q = in_features @ q_proj_weight.T
        k = in_features @ k_proj_weight.T
        v = in_features @ v_proj_weight.T
        laenge = in_features.shape[-2]
        maske = causal_mask(laenge, 0, dtype=q.dtype, device=q.device)
        koepfe = []
        for h in range(self.num_heads):
            anfang = h * self.breite
            ende = anfang + self.breite
            q_h = self.rope(q[..., anfang:ende], token_positions)
            k_h = self.rope(k[..., anfang:ende], token_positions)
            v_h = v[..., anfang:ende]
            kopf, gewichte = scaled_dot_product_attention(q_h, k_h, v_h, maske)
            koepfe.append(kopf)
        alle = F.concat(koepfe, axis=-1)
        return alle @ o_proj_weight.T
