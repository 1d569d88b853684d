# concept: rope-runs
# check: rope-runs
"""Step 06: rotary position embedding.

Attention does not know the order of the tokens. GPT-2 adds a learned vector for every position.
Newer models turn the query and the key instead, by an angle that grows with the position: the
score of two tokens then depends on how far apart they are, and not on where in the text they
are. This is RoPE, rotary position embedding.

Tasks:
    1. Import functional as F, Module and Tensor.
    2. Work out the angle of every position and pair of features.
    3. Look up the angles of the given positions.
    4. Take the pairs apart, turn them, put them back together.
    5. Split and merge heads, whatever the leading dimensions.
    6. Project, split, rotate query and key.
    7. Attend under the causal mask, merge, project.

Run: ./pixiw run s06
"""

from __future__ import annotations

import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    """Turns pairs of features by an angle that grows with the token's position.

    Features ``2i`` and ``2i + 1`` are the coordinates of a point in the plane. At position ``m``
    it is turned by ``m / theta ** (2i / d_k)`` radians. The layer has no parameters.

    Attributes:
        cos: Cosines of all angles, a NumPy array ``[max_seq_len, d_k / 2]``. It is not a Tensor,
            because every Tensor on ``self`` would become a parameter with weights to be loaded.
        sin: Sines, likewise.

    Source: Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding".
    """

    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        """Work out cosines and sines.

        Args:
            d_k: Width of the vectors to be rotated. It is even.
            max_seq_len: Positions run from 0 to ``max_seq_len - 1``.
            theta: Base of the frequencies, often 10000.
        """
        super().__init__()
        frequencies = theta ** (-np.arange(0, d_k, 2) / d_k)  # [d_k / 2]

        angles = np.outer(np.arange(min(max_seq_len, 2048)), frequencies)  # [max_seq_len, d_k / 2]

        self.cos = np.cos(angles).astype(np.float32)  # [max_seq_len, d_k / 2]
        self.sin = np.sin(angles).astype(np.float32)  # [max_seq_len, d_k / 2]

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        """Rotate every vector by the angles of its position.

        Args:
            x: ``[..., seq, d_k]``, float32.
            token_positions: Integers ``[..., seq]``, each at least 0 and below ``max_seq_len``.
                Leading dimensions broadcast to those of ``x``; ``[seq]`` serves them all.

        Returns:
            Tensor ``[..., seq, d_k]``.
        """
        cos = F.gather(  # [..., seq, d_k / 2]
            Tensor(self.cos, dtype=x.dtype, device=x.device), token_positions, axis=0
        )
        sin = F.gather(  # [..., seq, d_k / 2]
            Tensor(self.sin, dtype=x.dtype, device=x.device), token_positions, axis=0
        )

        even = x[..., 0::2]  # [..., seq, d_k / 2]
        odd = x[..., 1::2]  # [..., seq, d_k / 2]

        turned_even = even * cos - odd * sin  # [..., seq, d_k / 2]
        turned_odd = even * sin + odd * cos  # [..., seq, d_k / 2]

        turned = F.stack([turned_even, turned_odd], axis=-1)  # [..., seq, d_k / 2, 2]
        return turned.reshape(x.shape)  # [..., seq, d_k]


class MultiHeadSelfAttentionRoPE(Module):
    """Causal multi-head self-attention with rotary positions.

    The weights are not kept in the layer: they are arguments of :meth:`forward`.

    Attributes:
        d_model: Width of a token's vector.
        num_heads: Number of heads. It divides ``d_model``.
        rope: The rotation, for vectors of ``d_model // num_heads`` numbers.
    """

    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        """Create the rotation.

        Args:
            d_model: Width of a token's vector.
            num_heads: Number of heads. ``d_model // num_heads`` is even.
            max_seq_len: Positions run from 0 to ``max_seq_len - 1``.
            theta: Base of the frequencies.
        """
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        """``[..., seq, d_model]`` to ``[..., num_heads, seq, d_k]``."""
        new_shape = x.shape[:-1] + [self.num_heads, self.d_model // self.num_heads]
        return x.reshape(new_shape).transpose(-3, -2)  # [..., num_heads, seq, d_k]

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Put the heads side by side again: undo :meth:`_split_heads`."""
        x = x.transpose(-3, -2)  # [..., seq, num_heads, d_k]
        return x.reshape(x.shape[:-2] + [self.d_model])  # [..., seq, d_model]

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        """Let every token attend to itself and to the tokens before it.

        Args:
            q_proj_weight: ``[d_model, d_model]``, as a Linear keeps it: ``[out, in]``. No bias.
            k_proj_weight: ``[d_model, d_model]``.
            v_proj_weight: ``[d_model, d_model]``.
            o_proj_weight: ``[d_model, d_model]``.
            in_features: ``[..., seq, d_model]``, float32 like the weights.
            token_positions: Integers ``[seq]``, or ``[..., seq]`` with the leading dimensions
                of ``in_features``.

        Returns:
            Tensor ``[..., seq, d_model]``.
        """
        # each [..., num_heads, seq, d_k]
        query = self._split_heads(in_features @ q_proj_weight.T)
        key = self._split_heads(in_features @ k_proj_weight.T)
        value = self._split_heads(in_features @ v_proj_weight.T)

        positions = token_positions.unsqueeze(-2)  # [..., 1, seq]
        query = self.rope(query, positions)  # [..., num_heads, seq, d_k]
        key = self.rope(key, positions)  # [..., num_heads, seq, d_k]

        seq_len = query.shape[-2]
        mask = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)  # [seq, seq]
        output, _ = scaled_dot_product_attention(query, key, value, mask)

        return self._merge_heads(output) @ o_proj_weight.T  # [..., seq, d_model]
