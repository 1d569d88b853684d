# concept: bias-too-many
# check: parameters, projections
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_06 import RotaryEmbedding


class MultiHeadAttention(Module):
    def __init__(self, hidden_size, num_heads, dropout=0.1, bias=True, add_zero_attn=False,
                 use_rotary=False, attention_scale=None):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size)
        self.scale = attention_scale if attention_scale is not None else self.head_dim ** -0.5
        self.rotary = RotaryEmbedding(self.head_dim, 2048, 10000.0) if use_rotary else None

    def _split_heads(self, x):
        return x.reshape(x.shape[:-1] + [self.num_heads, self.head_dim]).transpose(1, 2)

    def _merge_heads(self, x):
        x = x.transpose(1, 2)
        return x.reshape(x.shape[:-2] + [self.hidden_size])

    def __call__(self, hidden_states, attention_mask=None, position_bias=None,
                 past_key_value=None, use_cache=False):
        size = self.hidden_size
        q, k, v = F.split(self.qkv_proj(hidden_states), [size, size, size], axis=2)
        q, k, v = self._split_heads(q), self._split_heads(k), self._split_heads(v)
        past = 0
        if past_key_value is not None:
            past = int(past_key_value[0].shape[2])
        if self.rotary is not None:
            seq = int(q.shape[2])
            pos = F.range(past, past + seq, dtype=DType.int64, device=q.device)
            q = self.rotary(q, pos)
            k = self.rotary(k, pos)
        if past_key_value is not None:
            k = F.concat([past_key_value[0], k], axis=2)
            v = F.concat([past_key_value[1], v], axis=2)
        present = (k, v) if use_cache else None
        scores = (q @ k.transpose(2, 3)) * self.scale
        if position_bias is not None:
            scores = scores + position_bias
        if attention_mask is not None:
            scores = scores + attention_mask
        if self.add_zero_attn:
            scores = F.concat([scores, q[:, :, :, :1] * 0.0], axis=3)
        probs = F.softmax(scores)
        if self.add_zero_attn:
            probs = probs[:, :, :, :-1]
        return self.out_proj(self._merge_heads(probs @ v)), present
