# concept: output
# check: output
"""Step 05: multi-head attention.

Every token looks at the tokens before it and takes over a weighted mixture of what they hold.
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

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

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

        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)

        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Cut the last dimension into heads.

        Args:
            tensor: ``[batch, seq, num_heads * attn_head_size]``.
            num_heads: Number of heads.
            attn_head_size: Width of one head.

        Returns:
            Tensor ``[batch, num_heads, seq, attn_head_size]``.
        """
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]

        tensor = tensor.reshape(new_shape)  # [batch, seq, n_head, head_dim]

        return tensor.transpose(-3, -2)  # [batch, n_head, seq, head_dim]

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Put the heads side by side again: undo :meth:`_split_heads`.

        Args:
            tensor: ``[batch, num_heads, seq, attn_head_size]``.
            num_heads: Number of heads.
            attn_head_size: Width of one head.

        Returns:
            Tensor ``[batch, seq, num_heads * attn_head_size]``.
        """


        tensor = tensor.transpose(-3, -2)  # [batch, seq, n_head, head_dim]
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)  # [batch, seq, n_embd]

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Scaled dot-product attention with a causal mask, for every head at once.

        Args:
            query: ``[batch, n_head, seq, head_dim]``.
            key: ``[batch, n_head, seq, head_dim]``.
            value: ``[batch, n_head, seq, head_dim]``.

        Returns:
            Tensor ``[batch, n_head, seq, head_dim]``.
        """
        attn_weights = query @ key.transpose(-1, -2)  # [batch, n_head, seq, seq]

        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))  # [batch, n_head, seq, seq]

        seq_len = query.shape[-2]

        mask = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)  # [seq, seq]
        attn_weights = F.min(F.max(attn_weights, -100.0), 100.0) + mask  # [batch, n_head, seq, seq]

        attn_weights = F.softmax(attn_weights)  # [batch, n_head, seq, seq]

        return attn_weights @ value  # [batch, n_head, seq, head_dim]

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Let every token attend to itself and to the tokens before it.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        query, key, value = F.split(  # each [batch, seq, n_embd]
            self.c_attn(hidden_states),
            [self.split_size, self.split_size, self.split_size],
            axis=2,
        )

        # each from [batch, seq, n_embd] to [batch, n_head, seq, head_dim]
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)

        attn_output = self._attn(query, key, value)  # [batch, n_head, seq, head_dim]

        attn_output = self._merge_heads(  # [batch, seq, n_embd]
            attn_output, self.num_heads, self.head_dim
        )

        return self.c_proj(attn_output)  # [batch, seq, n_embd]
