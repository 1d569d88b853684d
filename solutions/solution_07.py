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

# >>> blank: imports
# TODO: Import what you need.
# Hint: math for the square root
# Hint: Device from max.driver, DType from max.dtype
# Hint: functional as F from max.experimental
# Hint: Linear and Module from max.experimental.nn
# Hint: Tensor from max.experimental.tensor
# Hint: Dim and DimLike from max.graph
# stub:
import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

# <<< blank
from solutions.solution_01 import GPT2Config


# >>> blank: mask-function
# TODO: Bring your causal_mask over from steps/step_02.py.
# Hint: The decorator and the whole function, unchanged.
# stub:
@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Additive mask that hides the future: see step 02.

    Returns:
        Tensor ``[sequence_length, num_tokens + sequence_length]``: 0 at ``[i, j]`` where
        ``j <= num_tokens + i``, minus infinity elsewhere.
    """
    n = Dim(sequence_length) + num_tokens
    mask = Tensor(float("-inf"), dtype=dtype, device=device)  # []
    mask = F.broadcast_to(mask, shape=(sequence_length, n))  # [sequence_length, n]
    allowed = int(Dim(num_tokens))
    return F.band_part(  # [sequence_length, n]
        mask, num_lower=None, num_upper=allowed, exclude=True
    )


# <<< blank
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

        # >>> blank: c-attn
        # TODO: Create the combined projection to query, key and value.
        # stub: self.c_attn = None
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        # <<< blank

        # >>> blank: c-proj
        # TODO: Create the output projection.
        # stub: self.c_proj = None
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)
        # <<< blank

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Cut the last dimension into heads.

        Args:
            tensor: ``[batch, seq, num_heads * attn_head_size]``.
            num_heads: Number of heads.
            attn_head_size: Width of one head.

        Returns:
            Tensor ``[batch, num_heads, seq, attn_head_size]``.
        """
        # >>> blank: split-reshape
        # TODO: Reshape to [batch, seq, num_heads, attn_head_size].
        # TODO: Move the heads in front of the sequence.
        # Hint: tensor.shape[:-1] is a list. Add a list to it, not a tuple.
        # stub: return None
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        tensor = tensor.reshape(new_shape)  # [batch, seq, n_head, head_dim]
        # <<< blank
        # >>> blank: split-transpose
        # stub:
        return tensor.transpose(-3, -2)  # [batch, n_head, seq, head_dim]
        # <<< blank

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Put the heads side by side again: undo :meth:`_split_heads`.

        Args:
            tensor: ``[batch, num_heads, seq, attn_head_size]``.
            num_heads: Number of heads.
            attn_head_size: Width of one head.

        Returns:
            Tensor ``[batch, seq, num_heads * attn_head_size]``.
        """
        # >>> blank: merge-transpose
        # TODO: Move the sequence in front of the heads.
        # TODO: Reshape to [batch, seq, num_heads * attn_head_size].
        # Hint: The order matters: transpose first.
        # stub: return None
        tensor = tensor.transpose(-3, -2)  # [batch, seq, n_head, head_dim]
        # <<< blank
        # >>> blank: merge-reshape
        # stub:
        new_shape = tensor.shape[:-2] + [num_heads * attn_head_size]
        return tensor.reshape(new_shape)  # [batch, seq, n_embd]
        # <<< blank

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Scaled dot-product attention with a causal mask, for every head at once.

        Args:
            query: ``[batch, n_head, seq, head_dim]``.
            key: ``[batch, n_head, seq, head_dim]``.
            value: ``[batch, n_head, seq, head_dim]``.

        Returns:
            Tensor ``[batch, n_head, seq, head_dim]``.
        """
        # >>> blank: scores
        # TODO: Five moves: scores, scale, mask, softmax, weighted sum.
        # Hint: A shape comment after each line shows at once where a shape goes wrong.
        # stub: return None
        attn_weights = query @ key.transpose(-1, -2)  # [batch, n_head, seq, seq]
        # <<< blank
        # >>> blank: scale
        # stub:
        attn_weights = attn_weights / math.sqrt(int(value.shape[-1]))  # [batch, n_head, seq, seq]
        # <<< blank
        # >>> blank: mask
        # stub:
        seq_len = query.shape[-2]
        mask = causal_mask(seq_len, 0, dtype=query.dtype, device=query.device)  # [seq, seq]
        attn_weights = attn_weights + mask  # [batch, n_head, seq, seq]
        # <<< blank
        # >>> blank: softmax
        # stub:
        attn_weights = F.softmax(attn_weights)  # [batch, n_head, seq, seq]
        # <<< blank
        # >>> blank: weighted-sum
        # stub:
        return attn_weights @ value  # [batch, n_head, seq, head_dim]
        # <<< blank

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Let every token attend to itself and to the tokens before it.

        Args:
            hidden_states: ``[batch, seq, n_embd]``.

        Returns:
            Tensor ``[batch, seq, n_embd]``.
        """
        # >>> blank: qkv
        # TODO: Project the input and take query, key and value apart.
        # Hint: F.split along the last dimension, into three parts of self.split_size.
        # stub: pass
        qkv = self.c_attn(hidden_states)  # [batch, seq, 3 * n_embd]
        query, key, value = F.split(  # each [batch, seq, n_embd]
            qkv, [self.split_size, self.split_size, self.split_size], axis=-1
        )
        # <<< blank

        # >>> blank: heads
        # TODO: Split the heads of all three.
        # stub: pass
        # each from [batch, seq, n_embd] to [batch, n_head, seq, head_dim]
        query = self._split_heads(query, self.num_heads, self.head_dim)
        key = self._split_heads(key, self.num_heads, self.head_dim)
        value = self._split_heads(value, self.num_heads, self.head_dim)
        # <<< blank

        # >>> blank: merge
        # TODO: Attend, then merge the heads.
        # stub: pass
        attn_output = self._attn(query, key, value)  # [batch, n_head, seq, head_dim]
        attn_output = self._merge_heads(  # [batch, seq, n_embd]
            attn_output, self.num_heads, self.head_dim
        )
        # <<< blank

        # >>> blank: project
        # TODO: Project the merged heads and return the result.
        # stub: return None
        return self.c_proj(attn_output)  # [batch, seq, n_embd]
        # <<< blank
