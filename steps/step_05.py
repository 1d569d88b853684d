"""Step 05: multi-head attention.

Every token attends to the tokens before it and takes over a weighted mixture of what they hold.
Several heads do so at once, each in its own slice of the vector. The class carries Hugging
Face's names, so that the weights of a real GPT-2 will fit.

Tasks:
    1. Import functional as F, Tensor, Linear and Module.
    2. Create the two projections c_attn and c_proj.
    3. Split a vector into heads.
    4. Merge the heads back.
    5. Compute scores and scale them.
    6. Add the causal mask.
    7. Turn scores into weights and mix the values.
    8. Project the input, take query, key and value apart, split their heads.
    9. Attend, merge, project.

Run: ./pixiw run s05
"""

from __future__ import annotations

import math

# TODO: Import functional (as F), Tensor, Linear and Module.
# Hint: from max.experimental import functional as F
# Hint: Tensor lives in max.experimental.tensor, Linear and Module in max.experimental.nn.

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
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
        # Hint: Linear(in_dim, out_dim, bias=True), three times as wide at the output.
        self.c_attn = None

        # TODO: Create the output projection.
        # Hint: It keeps the width: self.embed_dim in, self.embed_dim out.
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
        # TODO: Work out the shape with the last dimension cut in two.
        # Hint: tensor.shape[:-1] is a list. Add a list to it: [num_heads, attn_head_size].
        new_shape = None

        # TODO: Give the tensor this shape.
        # Hint: reshape takes the whole shape as one list.
        tensor = None

        # TODO: Move the heads in front of the sequence.
        # Hint: transpose swaps two dimensions: the third and the second from the end.
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
        # Hint: The same swap as in _split_heads undoes it.
        tensor = None

        # TODO: Work out the shape with the last two dimensions joined.
        # Hint: Keep all but the last two, add one of num_heads * attn_head_size.
        new_shape = None

        # TODO: Give the tensor this shape.
        # Hint: reshape once more, and return what it gives.
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
        # TODO: Compute the score of every query with every key.
        # Hint: The product @ needs the key with its last two dimensions swapped.
        attn_weights = None

        # TODO: Divide by the square root of head_dim.
        # Hint: query.shape[-1] is a Dim. math.sqrt needs int(...) around it.
        attn_weights = None

        # TODO: Read the length of the sequence from the query.
        # Hint: It is the second dimension from the end.
        seq_len = None

        # TODO: Make the causal mask and add it.
        # Hint: causal_mask takes new and earlier tokens, here 0, and the query's dtype and device.
        # Hint: Add it to the scores before the softmax.
        mask = None
        attn_weights = None

        # TODO: Turn the scores into weights that sum to 1 over the keys.
        # Hint: F.softmax works on the last dimension.
        attn_weights = None

        # TODO: Mix the values with these weights and return the result.
        # Hint: One matrix product of the weights and the values.
        return None

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Let every token attend to itself and to the tokens before it.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        # TODO: Project the input and take query, key and value apart.
        # Hint: F.split takes a tensor, a list with the length of each part, and the axis, here 2.
        # Hint: Each part is self.split_size wide.
        query, key, value = None, None, None

        # TODO: Split the heads of query, key and value.
        # Hint: _split_heads takes a tensor, the number of heads and the width of one head.
        query = None
        key = None
        value = None

        # TODO: Let the tokens attend to each other.
        # Hint: _attn serves all heads at once.
        attn_output = None

        # TODO: Merge the heads.
        # Hint: _merge_heads takes the same three arguments as _split_heads.
        attn_output = None

        # TODO: Project the merged heads and return the result.
        # Hint: A layer is called like a function.
        return None
