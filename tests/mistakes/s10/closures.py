"""Step 10 with functions inside forward, and the early way out."""

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ):
        super().__init__()
        self.hidden_size, self.num_heads = hidden_size, num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout, self.add_zero_attn = dropout, add_zero_attn
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        if attention_scale is None:
            attention_scale = self.head_dim**-0.5
        self.scale = attention_scale
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, 2048, 10000.0)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: tuple[Tensor, Tensor] | None = None,
        use_cache: bool = False,
    ):
        cached = past_key_value
        start = cached[0].shape[2] if cached else 0

        def heads(x: Tensor) -> Tensor:
            shape = [x.shape[0], x.shape[1], self.num_heads, self.head_dim]
            return x.reshape(shape).transpose(1, 2)

        def rotated(x: Tensor) -> Tensor:
            if not self.rotary:
                return x
            stop = start + x.shape[2]
            return self.rotary(x, F.range(start, stop, dtype=DType.int64, device=x.device))

        def weigh(scores: Tensor) -> Tensor:
            if self.add_zero_attn:
                nothing = q[..., :1] * 0
                return F.softmax(F.concat([scores, nothing], axis=3))[:, :, :, :-1]
            return F.softmax(scores)

        e = self.hidden_size
        q, k, v = F.split(self.qkv_proj(hidden_states), [e, e, e], axis=2)
        q, k, v = rotated(heads(q)), rotated(heads(k)), heads(v)
        if cached:
            k = F.concat([cached[0], k], axis=2)
            v = F.concat([cached[1], v], axis=2)

        scores = q @ k.transpose(2, 3) * self.scale
        added = [x for x in (position_bias, attention_mask) if x is not None]
        for x in added:
            scores = scores + x
        out = weigh(scores) @ v
        out = out.transpose(1, 2).reshape(hidden_states.shape)
        if not use_cache:
            return self.out_proj(out), None
        return self.out_proj(out), (k, v)
