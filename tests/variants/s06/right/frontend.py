"""Step 06: rotary position embedding."""

from __future__ import annotations

import numpy as np

import max.experimental.functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


def placementOf(tensor):
    # { dtype, device } of a tensor, to be spread into calls
    return {"dtype": tensor.dtype, "device": tensor.device}


def buildTables(width, length, base):
    """Build { cos, sin }, each [length, width / 2]."""
    speeds = [1.0 / base ** (first / width) for first in range(0, width, 2)]
    angles = np.array([[position * speed for speed in speeds] for position in range(length)])
    return {"cos": np.float32(np.cos(angles)), "sin": np.float32(np.sin(angles))}


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        tables = buildTables(d_k, max_seq_len, theta)
        self.cos = tables["cos"]
        self.sin = tables["sin"]

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        options = placementOf(x)
        lookUp = lambda rows: F.gather(Tensor(rows, **options), token_positions, axis=0)
        cos, sin = [lookUp(rows) for rows in (self.cos, self.sin)]

        # destructure each pair
        [evens, odds] = [x[..., start::2] for start in (0, 1)]

        rotated = {
            "evens": F.sub(F.mul(evens, cos), F.mul(odds, sin)),
            "odds": F.add(F.mul(evens, sin), F.mul(odds, cos)),
        }

        # zip them: e0 o0 e1 o1 ...
        zipped = F.concat([part.unsqueeze(-1) for part in rotated.values()], axis=-1)
        return F.reshape(zipped, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.headSize = d_model // num_heads
        self.rope = RotaryEmbedding(d_k=self.headSize, max_seq_len=max_seq_len, theta=theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        headShape = [self.num_heads, self.headSize]
        return F.transpose(F.reshape(x, list(x.shape[:-1]) + headShape), -3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        swapped = F.transpose(x, -3, -2)
        return F.flatten(swapped, start_dim=-2, end_dim=-1)

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        weights = {"query": q_proj_weight, "key": k_proj_weight, "value": v_proj_weight}
        heads = {
            name: self._split_heads(in_features @ weight.T) for name, weight in weights.items()
        }

        # the value keeps its direction
        headPositions = token_positions.unsqueeze(-2)
        for name in ("query", "key"):
            heads[name] = self.rope(heads[name], headPositions)

        seqLen = in_features.shape[-2]
        maskOptions = placementOf(in_features)
        heads["mask"] = causal_mask(seqLen, 0, **maskOptions)

        [mixed, _attentionWeights] = scaled_dot_product_attention(**heads)
        merged = self._merge_heads(mixed)
        return merged @ o_proj_weight.T
