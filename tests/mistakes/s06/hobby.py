from __future__ import annotations

# numpy for the tables
import numpy as np

# the MAX things
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor

# my earlier homework
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        # how many pairs of numbers fit into one vector
        half = d_k // 2
        # an empty table for the cosines, one row per position
        cos_table = np.zeros((max_seq_len, half))
        # the same for the sines
        sin_table = np.zeros((max_seq_len, half))
        # go through all the pairs
        for i in range(half):
            # the speed of this pair
            freq = theta ** (-2 * i / d_k)
            # go through all the positions
            for m in range(max_seq_len):
                # the angle is position times speed
                angle = m * freq
                # write the cosine into its cell
                cos_table[m, i] = np.cos(angle)
                # write the sine into its cell
                sin_table[m, i] = np.sin(angle)
        # keep the cosines, twice each: one for each number of the pair
        self.cos = np.repeat(cos_table, 2, axis=1).astype(np.float32)
        # keep the sines, twice each too
        self.sin = np.repeat(sin_table, 2, axis=1).astype(np.float32)

    def forward(self, x: Tensor, token_positions: Tensor) -> Tensor:
        # numpy table to tensor
        cos_all = Tensor(self.cos, dtype=x.dtype, device=x.device)
        # and the other one
        sin_all = Tensor(self.sin, dtype=x.dtype, device=x.device)
        # pick the rows I need
        cos = F.gather(cos_all, token_positions, axis=0)
        # pick the rows I need, again
        sin = F.gather(sin_all, token_positions, axis=0)
        # the first number of every pair
        first = x[..., ::2]
        # the second number of every pair
        second = x[..., 1::2]
        # x turned by 90 degrees: (a, b) becomes (-b, a)
        quarter = F.stack([-second, first], axis=-1).reshape(x.shape)
        # a turn is a bit of x and a bit of x turned by 90 degrees
        result = x * cos + quarter * sin
        # give it back
        return result


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model: int, num_heads: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        # remember the sizes
        self.d_model = d_model
        self.num_heads = num_heads
        # the size of one head
        head_size = d_model // num_heads
        # the thing that rotates
        self.rope = RotaryEmbedding(head_size, max_seq_len, theta)

    def _split_heads(self, x: Tensor) -> Tensor:
        # everything before the last dimension stays
        front = x.shape[:-1]
        # the size of one head
        head_size = self.d_model // self.num_heads
        # cut the last dimension
        x = x.reshape(front + [self.num_heads, head_size])
        # heads before sequence
        x = x.transpose(-2, -3)
        # give it back
        return x

    def _merge_heads(self, x: Tensor) -> Tensor:
        # sequence before heads
        x = x.transpose(-2, -3)
        # glue the last two dimensions
        x = x.reshape(x.shape[:-2] + [self.d_model])
        # give it back
        return x

    def forward(
        self,
        q_proj_weight: Tensor,
        k_proj_weight: Tensor,
        v_proj_weight: Tensor,
        o_proj_weight: Tensor,
        in_features: Tensor,
        token_positions: Tensor,
    ) -> Tensor:
        # multiply with the weights, turned over
        q = in_features @ q_proj_weight.T
        k = in_features @ k_proj_weight.T
        v = in_features @ v_proj_weight.T
        # into heads
        q = self._split_heads(q)
        k = self._split_heads(k)
        v = self._split_heads(v)
        # one more dimension, for the heads
        places = token_positions.unsqueeze(-2)
        # rotate q and k, leave v alone
        q = self.rope(q, places)
        k = self.rope(k, places)
        # nobody may look into the future
        mask = causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
        # the attention, the weights are not needed
        answer, weights = scaled_dot_product_attention(q, k, v, mask)
        # heads together again
        answer = self._merge_heads(answer)
        # the last matrix
        answer = answer @ o_proj_weight.T
        # give it back
        return answer
