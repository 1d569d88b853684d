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

# >>> blank: imports
# TODO: Import functional (as F), Linear, Module and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Linear and Module live in max.experimental.nn, Tensor in max.experimental.tensor.
# stub:
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

# <<< blank
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

        # >>> blank: projections
        # TODO: Create the projection to query, key and value, and the output projection.
        # Hint: Linear(in_dim, out_dim, bias=bias)
        # stub: self.qkv_proj = None
        # stub: self.out_proj = None
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        # <<< blank

        # >>> blank: scale
        # TODO: Choose the scale: the one that was given, else 1/√head_dim.
        # Hint: 0.0 was given too. Ask "is None", not "or".
        # stub: self.scale = None
        self.scale = self.head_dim**-0.5 if attention_scale is None else attention_scale
        # <<< blank

        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            # >>> blank: rotary
            # TODO: Part 2. Create the rotation of one head.
            # Hint: RotaryEmbedding(width, MAX_POSITIONS, THETA)
            # stub: self.rotary = None
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)
            # <<< blank

    def _split_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, seq, hidden_size]`` to ``[batch, num_heads, seq, head_dim]``."""
        # >>> blank: split-heads
        # TODO: Reshape to [batch, seq, num_heads, head_dim], then move the heads forward.
        # stub: return None
        new_shape = tensor.shape[:-1] + [self.num_heads, self.head_dim]
        return tensor.reshape(new_shape).transpose(-3, -2)  # [batch, num_heads, seq, head_dim]
        # <<< blank

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        """``[batch, num_heads, seq, head_dim]`` to ``[batch, seq, hidden_size]``."""
        # >>> blank: merge-heads
        # TODO: Move the heads back, then join the last two dimensions.
        # stub: return None
        tensor = tensor.transpose(-3, -2)  # [batch, seq, num_heads, head_dim]
        return tensor.reshape(tensor.shape[:-2] + [self.hidden_size])  # [batch, seq, hidden_size]
        # <<< blank

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
        # >>> blank: scores
        # TODO: Compute the score of every query with every key, times the scale.
        # stub: scores = None
        scores = query @ key.transpose(-2, -1) * self.scale  # [batch, num_heads, seq, total]
        # <<< blank

        # >>> blank: bias-and-mask
        # TODO: Add the position bias, if there is one, and the mask, if there is one.
        # stub: scores = None
        if position_bias is not None:
            scores = scores + position_bias  # [batch, num_heads, seq, total]
        if attention_mask is not None:
            scores = scores + attention_mask  # [batch, num_heads, seq, total]
        # <<< blank

        # >>> blank: zero
        # TODO: Turn the scores into weights. With self.add_zero_attn, each query also sees a zero.
        # Hint: A key of zeros has the score 0 with every query: one more column of zeros.
        # Hint: scores[..., :1] * 0 would turn -inf into NaN. Use query[..., :1] * 0.
        # Hint: Its value is zero too, so just drop its weight after the softmax.
        # stub: weights = None
        if self.add_zero_attn:
            nothing = query[..., :1] * 0  # [batch, num_heads, seq, 1]
            scores = F.concat([scores, nothing], axis=-1)  # [batch, num_heads, seq, total + 1]
            weights = F.softmax(scores)[..., :-1]  # [batch, num_heads, seq, total]
        else:
            weights = F.softmax(scores)  # [batch, num_heads, seq, total]
        # <<< blank

        # >>> blank: mix
        # TODO: Mix the values with the weights.
        # stub: return None
        return weights @ value  # [batch, num_heads, seq, head_dim]
        # <<< blank

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
        # >>> blank: project
        # TODO: Project, take query, key and value apart, and split their heads.
        # Hint: F.split(self.qkv_proj(hidden_states), [size, size, size], axis=-1)
        # Hint: Each part is self.hidden_size wide.
        # stub: query, key, value = None, None, None
        query, key, value = (  # each [batch, num_heads, seq, head_dim]
            self._split_heads(part)
            for part in F.split(self.qkv_proj(hidden_states), [self.hidden_size] * 3, axis=-1)
        )
        # <<< blank

        # >>> blank: past-length
        # TODO: Part 2. Count the tokens in the cache: 0 if there is no cache.
        # Hint: Cached keys are [batch, num_heads, past, head_dim].
        # stub: past = None
        past = 0 if past_key_value is None else past_key_value[0].shape[-2]
        # <<< blank

        # >>> blank: rotate
        # TODO: Part 2. If there is a rotation, rotate query and key by their positions.
        # Hint: The new tokens are at past, past + 1, …: F.range(past, past + seq, ...)
        # Hint: Give F.range dtype=DType.int64 and device=query.device.
        # Hint: Cached keys were rotated when they were new: rotate before joining.
        # stub: pass
        if self.rotary is not None:
            positions = F.range(  # [seq]
                past, past + query.shape[-2], dtype=DType.int64, device=query.device
            )
            query = self.rotary(query, positions)  # [batch, num_heads, seq, head_dim]
            key = self.rotary(key, positions)  # [batch, num_heads, seq, head_dim]
        # <<< blank

        # >>> blank: join
        # TODO: Part 2. Put the cached keys and values in front of the new ones.
        # Hint: F.concat([old, new], axis=-2)
        # stub: pass
        if past_key_value is not None:
            key = F.concat([past_key_value[0], key], axis=-2)  # [batch, num_heads, total, head_dim]
            value = F.concat([past_key_value[1], value], axis=-2)
        # <<< blank

        # >>> blank: call-out-proj
        # TODO: Attend, merge the heads, project.
        # stub: output = None
        context = self._attn(query, key, value, attention_mask, position_bias)
        output = self.out_proj(self._merge_heads(context))  # [batch, seq, hidden_size]
        # <<< blank

        # >>> blank: return
        # TODO: Return the output and None. In part 2, the cache instead of None if asked for.
        # Hint: A pair either way: (output, (key, value)) or (output, None).
        # stub: return None
        return output, ((key, value) if use_cache else None)
        # <<< blank
