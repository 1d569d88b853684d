"""Step 06: rotary position embedding.

Attention does not know the order of the tokens. GPT-2 adds a learned vector for every position.
Newer models turn the query and the key instead, by an angle that grows with the position: the
score of two tokens then depends on how far apart they are, not on where in the sequence they
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

# TODO: Import functional (as F), Module and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Module lives in max.experimental.nn, Tensor in max.experimental.tensor.

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
        # TODO: Work out by how much each pair turns from one position to the next.
        # Hint: theta ** (-2i / d_k) for i = 0, 1, …, d_k / 2 - 1
        # Hint: np.arange(0, d_k, 2) gives all the 2i at once.
        frequencies = None

        # TODO: Multiply every position by every frequency.
        # Hint: np.outer(np.arange(max_seq_len), frequencies)
        angles = None

        # TODO: Keep the cosines and the sines of the angles, as float32.
        # Hint: np.cos(angles).astype(np.float32)
        # Hint: Leave them as NumPy arrays: a Tensor on self becomes a parameter.
        self.cos = None
        self.sin = None

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        """Rotate every vector by the angles of its position.

        Args:
            x: ``[..., seq, d_k]``, float32.
            token_positions: Integers ``[..., seq]``, each at least 0 and below ``max_seq_len``.
                Leading dimensions broadcast to those of ``x``; ``[seq]`` serves them all.

        Returns:
            Tensor ``[..., seq, d_k]``.
        """
        # TODO: Look up the row of each position in both tables.
        # Hint: Tensor(self.cos, dtype=x.dtype, device=x.device) turns a table into a tensor.
        # Hint: F.gather(table, token_positions, axis=0) takes rows by index.
        cos = None
        sin = None

        # TODO: Take the pairs apart: features 0, 2, 4, … and features 1, 3, 5, …
        # Hint: x[..., 0::2]
        even = None
        odd = None

        # TODO: Turn every point (even, odd) by its angle.
        # Hint: The point (a, b) turned by t is (a cos t - b sin t, a sin t + b cos t).
        turned_even = None
        turned_odd = None

        # TODO: Put the pairs back together, in their old order.
        # Hint: F.stack([first, second], axis=-1) puts each pair side by side.
        # Hint: reshape(x.shape) then joins the last two dimensions.
        return None


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
        # TODO: Create the rotation. It works on one head, so its width is that of a head.
        # Hint: RotaryEmbedding(d_model // num_heads, max_seq_len, theta)
        self.rope = None

    def _split_heads(self, x: Tensor) -> Tensor:
        """``[..., seq, d_model]`` to ``[..., num_heads, seq, d_k]``."""
        # TODO: Reshape to [..., seq, num_heads, d_k], then swap sequence and heads.
        # Hint: x.shape[:-1] is a list of all dimensions but the last, however many there are.
        return None

    def _merge_heads(self, x: Tensor) -> Tensor:
        """Put the heads side by side again: undo :meth:`_split_heads`."""
        # TODO: Swap heads and sequence, then join the last two dimensions.
        # Hint: Keep all dimensions but the last two, add one of self.d_model.
        return None

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
        # TODO: Project to query, key and value, and split their heads.
        # Hint: A weight is [out, in], so the projection is in_features @ weight.T.
        query = None
        key = None
        value = None

        # TODO: Rotate query and key. The value stays as it is.
        # Hint: The positions need a dimension for the heads: token_positions.unsqueeze(-2)
        query = None
        key = None

        # TODO: Attend under the causal mask of step 02, with the function of step 03.
        # Hint: causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        # Hint: scaled_dot_product_attention returns two results.
        output = None

        # TODO: Merge the heads, project, and return the result.
        return None
