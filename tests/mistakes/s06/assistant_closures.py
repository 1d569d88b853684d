import numpy as np

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        i = np.arange(d_k // 2)
        freq = 1.0 / theta ** (2 * i / d_k)
        angles = np.arange(max_seq_len)[:, None] * freq[None, :]
        self.cos, self.sin = (f(angles).astype(np.float32) for f in (np.cos, np.sin))

    def forward(self, x, token_positions):
        def table(t):
            return F.gather(Tensor(t, dtype=x.dtype, device=x.device), token_positions, axis=0)

        c, s = table(self.cos), table(self.sin)
        pairs = x.reshape(x.shape[:-1] + [int(x.shape[-1]) // 2, 2])
        a = pairs[..., 0]
        b = pairs[..., 1]
        out = F.stack([a * c - b * s, a * s + b * c], axis=-1)
        return out.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.rope = RotaryEmbedding(self.d_k, max_seq_len, theta)

    def _split_heads(self, x):
        x = F.reshape(x, [*x.shape[:-1], self.num_heads, self.d_k])
        return F.transpose(x, -2, -3)

    def _merge_heads(self, x):
        x = F.transpose(x, -2, -3)
        return F.reshape(x, [*x.shape[:-2], self.d_model])

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        q, k, v = (
            self._split_heads(in_features @ w.T)
            for w in (q_proj_weight, k_proj_weight, v_proj_weight)
        )
        pos = F.unsqueeze(token_positions, -2)
        q, k = self.rope(q, pos), self.rope(k, pos)
        mask = causal_mask(in_features.shape[-2], 0, dtype=q.dtype, device=q.device)
        mixed = scaled_dot_product_attention(q, k, v, mask)[0]
        return self._merge_heads(mixed) @ o_proj_weight.T
