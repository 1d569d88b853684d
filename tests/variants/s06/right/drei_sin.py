import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        exponents = np.linspace(0, 1, d_k // 2, endpoint=False)
        speed = np.power(theta, -exponents)
        turns = np.einsum("i,j->ij", np.arange(max_seq_len), speed)
        self.table = np.stack([np.cos(turns), np.sin(turns)], axis=0).astype(np.float32)

    def forward(self, x, token_positions):
        table = Tensor(self.table, dtype=x.dtype, device=x.device)
        c = F.gather(table[0], token_positions, axis=0)
        s = F.gather(table[1], token_positions, axis=0)
        first = x[..., 0::2]
        second = x[..., 1::2]
        left = F.sub(F.mul(first, c), F.mul(second, s))
        right = F.add(F.mul(first, s), F.mul(second, c))
        both = F.concat([left.unsqueeze(-1), right.unsqueeze(-1)], axis=-1)
        return F.reshape(both, x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.head = d_model // num_heads
        self.rope = RotaryEmbedding(self.head, max_seq_len, theta)

    def forward(
        self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions
    ):
        found = []
        for h in range(self.num_heads):
            rows = slice(h * self.head, (h + 1) * self.head)
            q = in_features @ q_proj_weight[rows].T
            k = in_features @ k_proj_weight[rows].T
            v = in_features @ v_proj_weight[rows].T
            q = self.rope(q, token_positions)
            k = self.rope(k, token_positions)
            n = q.shape[-2]
            mask = causal_mask(n, 0, dtype=q.dtype, device=q.device)
            out, _ = scaled_dot_product_attention(q, k, v, mask)
            found.append(out)
        return F.concat(found, axis=-1) @ o_proj_weight.T
