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
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scale = 1 / self.head_dim**0.5 if attention_scale is None else attention_scale
        self.rotary = RotaryEmbedding(self.head_dim, 2048, 10000.0) if use_rotary else None

    def heads(self, x):
        b, s = x.shape[0], x.shape[1]
        return x.reshape([b, s, self.num_heads, self.head_dim]).transpose(1, 2)

    def __call__(self, hidden_states, attention_mask=None, position_bias=None,
                 past_key_value=None, use_cache=False):
        d = self.hidden_size
        qkv = self.qkv_proj(hidden_states)
        q = self.heads(qkv[..., :d])
        k = self.heads(qkv[..., d : 2 * d])
        v = self.heads(qkv[..., 2 * d :])

        start = past_key_value[0].shape[2] if past_key_value is not None else 0
        if self.rotary is not None:
            pos = F.range(start, start + q.shape[2], dtype=DType.int64, device=q.device)
            q = self.rotary(q, pos)
            k = self.rotary(k, pos)
        if past_key_value is not None:
            k = F.concat([past_key_value[0], k], axis=2)
            v = F.concat([past_key_value[1], v], axis=2)
        present = (k, v) if use_cache else None

        logits = q @ k.transpose(2, 3) * self.scale
        if position_bias is not None:
            logits = logits + position_bias
        if attention_mask is not None:
            logits = logits + attention_mask

        outs = []
        for h in range(self.num_heads):
            row = logits[:, h]
            if self.add_zero_attn:
                zero = q[:, h, :, :1] * 0
                row = F.concat([row, zero], axis=-1)
            p = F.softmax(row, axis=-1)
            if self.add_zero_attn:
                p = p[:, :, :-1]
            outs.append(p @ v[:, h])
        merged = F.concat(outs, axis=-1)
        return self.out_proj(merged), present
