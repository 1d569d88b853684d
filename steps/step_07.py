"""Step 07: multi-head attention, from a nearly blank file.

The same mechanism as in step 05, this time without a net: only the names, the signatures and
the shapes are given, and the causal mask is yours as well. The class has a different name and
needs nothing but the configuration of step 01.

Tasks:
    1. Import what you need.
    2. Bring causal_mask over from step 02.
    3. Create the two projections c_attn and c_proj.
    4. Implement _split_heads: reshape, then transpose.
    5. Implement _merge_heads: transpose, then reshape.
    6. Implement _attn: scores, scale, mask, softmax, weighted sum.
    7. Implement __call__: project, split, attend, merge, project.

Run: ./pixiw run s07
"""

from __future__ import annotations

# TODO: Import what you need.
# Hint: math for the square root
# Hint: Device from max.driver, DType from max.dtype
# Hint: functional as F from max.experimental
# Hint: Linear and Module from max.experimental.nn
# Hint: Tensor from max.experimental.tensor
# Hint: Dim and DimLike from max.graph

from solutions.solution_01 import GPT2Config


# TODO: Bring your causal_mask over from steps/step_02.py.
# Hint: The decorator and the whole function, unchanged.


class GPT2MultiHeadAttention(Module):
    """Causal multi-head self-attention with Hugging Face's names.

    Attributes:
        embed_dim: Width of a token's vector, ``config.n_embd``.
        num_heads: Number of heads, ``config.n_head``. It divides ``embed_dim``.
        head_dim: Width of one head, ``embed_dim // num_heads``.
        split_size: Width of each of query, key and value, equal to ``embed_dim``.
        c_attn: Projection to query, key and value, ``embed_dim`` to ``3 * embed_dim``.
        c_proj: Projection of the merged heads, ``embed_dim`` to ``embed_dim``.

    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.
    """

    def __init__(self, config: GPT2Config) -> None:
        """Create both projections with random weights, sized by ``config``."""
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim

        # TODO: Create the combined projection to query, key and value.
        self.c_attn = None

        # TODO: Create the output projection.
        self.c_proj = None

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Cut the last dimension into heads.

        Args:
            tensor: ``[batch, seq, num_heads * attn_head_size]``.
            num_heads: Number of heads.
            attn_head_size: Width of one head.

        Returns:
            Tensor ``[batch, num_heads, seq, attn_head_size]``.
        """
        # TODO: Reshape to [batch, seq, num_heads, attn_head_size].
        # TODO: Move the heads in front of the sequence.
        # Hint: tensor.shape[:-1] is a list. Add a list to it, not a tuple.
        return None

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Put the heads side by side again: undo :meth:`_split_heads`.

        Args:
            tensor: ``[batch, num_heads, seq, attn_head_size]``.
            num_heads: Number of heads.
            attn_head_size: Width of one head.

        Returns:
            Tensor ``[batch, seq, num_heads * attn_head_size]``.
        """
        # TODO: Move the sequence in front of the heads.
        # TODO: Reshape to [batch, seq, num_heads * attn_head_size].
        # Hint: The order matters: transpose first.
        return None

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Scaled dot-product attention with a causal mask, for every head at once.

        Args:
            query: ``[batch, n_head, seq, head_dim]``.
            key: ``[batch, n_head, seq, head_dim]``.
            value: ``[batch, n_head, seq, head_dim]``.

        Returns:
            Tensor ``[batch, n_head, seq, head_dim]``.
        """
        # TODO: Five moves: scores, scale, mask, softmax, weighted sum.
        # Hint: A shape comment after each line shows at once where a shape goes wrong.
        return None

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Let every token attend to itself and to the tokens before it.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        # TODO: Project the input and take query, key and value apart.
        # Hint: F.split along the last dimension, into three parts of self.split_size.
        pass

        # TODO: Split the heads of all three.
        pass

        # TODO: Attend, then merge the heads.
        pass

        # TODO: Project the merged heads and return the result.
        return None
