"""Step 10: attention with every option, and a cache of keys and values.

The attention of step 05 is made for GPT-2 as it is trained. This layer takes the mask from
outside, offers other ways to tell positions, and keeps the keys and values of the tokens that it
has seen. With that cache, one more token costs one token's work, not the whole text's.

Tasks, part 1, the options:
    1. Import functional as F, Linear, Module and Tensor.
    2. Create the two projections, with or without bias. Choose the scale.
    3. Split heads and merge them.
    4. Compute scores, add position bias and mask, and offer a zero if asked to.
    5. Project the input, attend, and return (output, None).
Part 2, positions and the cache:
    6. Create the rotation if it is asked for.
    7. Rotate query and key by their positions in the whole sequence.
    8. Put the cached keys and values in front of the new ones, and return them if asked to.

Run: ./pixiw run s10
"""

from __future__ import annotations

from max.dtype import DType

# TODO: Import functional (as F), Linear, Module and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Linear and Module live in max.experimental.nn, Tensor in max.experimental.tensor.

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
"""Keys and values of all tokens so far, each ``[batch, num_heads, total, head_dim]``."""

MAX_POSITIONS = 2048
"""How many positions the rotation knows."""

THETA = 10000.0
"""Base of the rotation's frequencies."""


class MultiHeadAttention(Module):
    """Multi-head self-attention with a choice of masks, positions, scale and a KV cache.

    Attributes:
        hidden_size: Width of a token's vector.
        num_heads: Number of heads. It divides ``hidden_size``.
        head_dim: Width of one head, ``hidden_size // num_heads``.
        scale: Factor of every score.
        add_zero_attn: Whether every query may also attend to a key of zeros.
        rotary: The rotation of query and key, or None.
        qkv_proj: Projection to query, key and value at once.
        out_proj: Projection of the merged heads.

    Source: Vaswani et al. 2017, section 3.2; Su et al. 2021 for the rotation.
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        """Create the projections with random weights.

        Args:
            hidden_size: Width of a token's vector.
            num_heads: Number of heads. It divides ``hidden_size``.
            dropout: Share of the attention weights that training would drop. MAX does not train,
                so it changes nothing here.
            bias: Whether the projections have a bias.
            add_zero_attn: Let every query also attend to one more key, all zeros, whose value is
                all zeros too: ``torch.nn.MultiheadAttention`` has this option.
            use_rotary: Rotate query and key by their positions.
            attention_scale: Factor of every score; None means 1/√head_dim.
        """
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn

        # TODO: Create the projection to query, key and value, and the output projection.
        # Hint: Linear(in_dim, out_dim, bias=bias)
        self.qkv_proj = None
        self.out_proj = None

        # TODO: Choose the scale: the one that was given, else 1/√head_dim.
        # Hint: 0.0 was given too. Ask "is None", not "or".
        self.scale = None

        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            # TODO: Part 2. Create the rotation of one head.
            # Hint: RotaryEmbedding(width, MAX_POSITIONS, THETA)
            self.rotary = None

    def _split_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, seq, hidden_size]`` to ``[batch, num_heads, seq, head_dim]``."""
        # TODO: Reshape to [batch, seq, num_heads, head_dim], then move the heads forward.
        return None

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, num_heads, seq, head_dim]`` to ``[batch, seq, hidden_size]``."""
        # TODO: Move the heads back, then join the last two dimensions.
        return None

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        """Weigh the values.

        Args:
            query: ``[batch, num_heads, seq, head_dim]``.
            key: ``[batch, num_heads, total, head_dim]``.
            value: ``[batch, num_heads, total, head_dim]``.
            attention_mask: Added to the scores; broadcasts to
                ``[batch, num_heads, seq, total]``.
            position_bias: Likewise.

        Returns:
            Tensor ``[batch, num_heads, seq, head_dim]``.
        """
        # TODO: Compute the score of every query with every key, times the scale.
        scores = None

        # TODO: Add the position bias, if there is one, and the mask, if there is one.
        scores = None

        # TODO: Turn the scores into weights. With self.add_zero_attn, each query also sees a zero.
        # Hint: A key of zeros has the score 0 with every query: one more column of zeros.
        # Hint: scores[..., :1] * 0 would turn -inf into NaN. Use query[..., :1] * 0.
        # Hint: Its value is zero too, so just drop its weight after the softmax.
        weights = None

        # TODO: Mix the values with the weights.
        return None

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        """Let the new tokens attend to the cached ones and to each other.

        Nothing is hidden unless the mask hides it: this layer is causal only with a causal mask.

        Args:
            hidden_states: The new tokens, ``[batch, seq, hidden_size]``.
            attention_mask: Added to the scores; broadcasts to
                ``[batch, num_heads, seq, past + seq]``.
            position_bias: Likewise.
            past_key_value: What an earlier call returned, each
                ``[batch, num_heads, past, head_dim]``.
            use_cache: Whether to return keys and values.

        Returns:
            The output ``[batch, seq, hidden_size]``, and keys and values of all ``past + seq``
            tokens, or None without ``use_cache``.
        """
        # TODO: Project, take query, key and value apart, and split their heads.
        # Hint: F.split(self.qkv_proj(hidden_states), [size, size, size], axis=-1)
        # Hint: Each part is self.hidden_size wide.
        query, key, value = None, None, None

        # TODO: Part 2. Count the tokens in the cache: 0 if there is no cache.
        # Hint: Cached keys are [batch, num_heads, past, head_dim].
        past = None

        # TODO: Part 2. If there is a rotation, rotate query and key by their positions.
        # Hint: The new tokens are at past, past + 1, …: F.range(past, past + seq, ...)
        # Hint: Give F.range dtype=DType.int64 and device=query.device.
        # Hint: Cached keys were rotated when they were new: rotate before joining.
        pass

        # TODO: Part 2. Put the cached keys and values in front of the new ones.
        # Hint: F.concat([old, new], axis=-2)
        pass

        # TODO: Attend, merge the heads, project.
        output = None

        # TODO: Return the output and None. In part 2, the cache instead of None if asked for.
        # Hint: A pair either way: (output, (key, value)) or (output, None).
        return None
