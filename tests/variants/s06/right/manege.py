"""Le manege: chaque paire est un nombre complexe, et tourner c'est multiplier."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class Complexe(NamedTuple):
    """Partie reelle et partie imaginaire, meme forme."""

    re: Tensor
    im: Tensor

    def fois(self, autre: Complexe) -> Complexe:
        x1, y1 = self
        x2, y2 = autre
        return Complexe(re=x1 * x2 - y1 * y2, im=x1 * y2 + y1 * x2)

    @classmethod
    def depuis_voisins(cls, x: Tensor) -> Complexe:
        return cls(x[..., 0::2], x[..., 1::2])

    def vers_voisins(self) -> Tensor:
        paires = F.concat([t.unsqueeze(-1) for t in self], axis=-1)
        return F.flatten(paires, -2, -1)


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        vitesses = np.logspace(0, -1, num=d_k // 2, endpoint=False, base=theta)
        angles = np.multiply.outer(np.arange(max_seq_len), vitesses)
        self.cos = np.cos(angles).astype(np.float32)
        self.sin = np.sin(angles).astype(np.float32)

    def tours(self, x: Tensor, ou: Tensor) -> Complexe:
        tables = [Tensor(t, dtype=x.dtype, device=x.device) for t in (self.cos, self.sin)]
        return Complexe(*[F.gather(t, ou, axis=0) for t in tables])

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        z = Complexe.depuis_voisins(x)
        return z.fois(self.tours(x, token_positions)).vers_voisins()


class Tetes:
    """Couper et recoller; herite par la couche."""

    d_model: int
    num_heads: int

    def _split_heads(self, x: Tensor) -> Tensor:
        largeur = self.d_model // self.num_heads
        return x.reshape(x.shape[:-1] + [self.num_heads, largeur]).transpose(-3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        x = x.transpose(-3, -2)
        return x.reshape(x.shape[:-2] + [self.d_model])


class MultiHeadSelfAttentionRoPE(Tetes, Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        Module.__init__(self)
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)
        self.num_heads = num_heads
        self.d_model = d_model

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        poids = {"v": v_proj_weight, "q": q_proj_weight, "k": k_proj_weight}
        tetes: dict[str, Tensor] = {}
        for lettre, w in poids.items():
            t = self._split_heads(in_features @ w.T)
            if lettre != "v":
                t = self.rope(t, token_positions.unsqueeze(-2))
            tetes[lettre] = t
        q = tetes["q"]
        masque = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        sortie, _ = scaled_dot_product_attention(tetes["q"], tetes["k"], tetes["v"], masque)
        return self._merge_heads(sortie) @ o_proj_weight.T
