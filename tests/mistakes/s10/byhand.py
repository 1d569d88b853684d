from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_06 import RotaryEmbedding


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size,
        num_heads,
        dropout=0.1,
        bias=True,
        add_zero_attn=False,
        use_rotary=False,
        attention_scale=None,
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scale = self.head_dim**-0.5 if attention_scale is None else attention_scale
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, 2048, 10000.0)

    def probabilities(self, scores):
        top = F.max(scores, axis=-1)
        if self.add_zero_attn:
            top = F.max(top, top * 0)
        powers = F.exp(scores - top)
        total = F.sum(powers, axis=-1)
        if self.add_zero_attn:
            total = total + F.exp(-top)
        return powers / total

    def __call__(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        batch, new, width = hidden_states.shape
        qkv = self.qkv_proj(hidden_states).reshape([batch, new, 3, self.num_heads, self.head_dim])
        q = qkv[:, :, 0].transpose(1, 2)
        k = qkv[:, :, 1].transpose(1, 2)
        v = qkv[:, :, 2].transpose(1, 2)

        old = 0
        if past_key_value is not None:
            old = past_key_value[0].shape[2]
        if self.rotary:
            places = F.range(old, old + new, dtype=DType.int64, device=q.device)
            q, k = self.rotary(q, places), self.rotary(k, places)
        if past_key_value is not None:
            k = F.concat([past_key_value[0], k], axis=2)
            v = F.concat([past_key_value[1], v], axis=2)

        scores = (q * self.scale) @ k.transpose(2, 3)
        if position_bias is not None:
            scores = scores + position_bias
        if attention_mask is not None:
            scores = scores + attention_mask
        weights = self.probabilities(scores)
        mixed = (weights @ v).transpose(1, 2).reshape([batch, new, width])
        cache = None
        if use_cache:
            cache = (k, v)
        return self.out_proj(mixed), cache
