# concept: rope-runs
# check: rope-runs, look-up
import math
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.cosines, self.sines = [], []
        for position in range(max_seq_len):
            row = [position / math.pow(theta, 2 * i / d_k) for i in range(d_k // 2)]
            self.cosines.append([math.cos(angle) for angle in row])
            self.sines.append([math.sin(angle) for angle in row])

    def __call__(self, x: Tensor, token_positions: Tensor) -> Tensor:
        token_positions = token_positions.reshape(x.shape[:-1])
        cosines = Tensor(self.cosines, dtype=x.dtype, device=x.device)
        sines = Tensor(self.sines, dtype=x.dtype, device=x.device)
        cos = F.gather(cosines, token_positions, axis=0)
        sin = F.gather(sines, token_positions, axis=0)
        even, odd = x[..., 0::2], x[..., 1::2]
        first = even * cos - odd * sin
        second = even * sin + odd * cos
        return F.stack([first, second], axis=-1).reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.rope = RotaryEmbedding(d_model // num_heads, max_seq_len, theta)

    def _split_heads(self, x):
        shape = x.shape[:-1] + [self.num_heads, self.d_model // self.num_heads]
        return x.reshape(shape).transpose(-3, -2)

    def _merge_heads(self, x):
        x = x.transpose(-3, -2)
        return x.reshape(x.shape[:-2] + [self.d_model])

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        query = self._split_heads(in_features @ q_proj_weight.T)
        key = self._split_heads(in_features @ k_proj_weight.T)
        value = self._split_heads(in_features @ v_proj_weight.T)
        positions = token_positions.unsqueeze(-2)
        query = self.rope(query, positions)
        key = self.rope(key, positions)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        output, _ = scaled_dot_product_attention(query, key, value, mask)
        return self._merge_heads(output) @ o_proj_weight.T
