# concept: state-kept
# check: forward, output
import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
import solutions.solution_02 as step2

Array = Tensor


class GPT2Attention(Module):
    def __init__(self, cfg, /):
        Module.__init__(self)
        E = cfg.n_embd
        H = cfg.n_head
        self.embed_dim, self.num_heads, self.head_dim, self.split_size = E, H, E // H, E
        self.c_attn: Linear = Linear(E, E * 3)
        self.c_proj: Linear = Linear(E, E)

    def _split_heads(self, tensor: Array, num_heads: int, attn_head_size: int) -> Array:
        a, b, _ = tensor.shape
        return F.permute(F.reshape(tensor, (a, b, num_heads, attn_head_size)), [0, 2, 1, 3])

    def _merge_heads(self, tensor: Array, num_heads: int, attn_head_size: int) -> Array:
        a, _, b, _ = tensor.shape
        return F.reshape(F.permute(tensor, [0, 2, 1, 3]), (a, b, -1))

    def _attn(self, query: Array, key: Array, value: Array) -> Array:
        t = query.shape[-2]
        m = step2.causal_mask(t, 0, dtype=query.dtype, device=query.device)
        s = F.matmul(F.mul(query, int(query.shape[-1]) ** -0.5), key.transpose(-1, -2))
        return F.matmul(F.softmax(F.add(s, m)), value)

    def __call__(self, hidden_states: Array) -> Array:
        y = F.split(self.c_attn(hidden_states), 3 * [self.split_size], axis=-1)
        y = [self._split_heads(t, self.num_heads, self.head_dim) for t in y]
        self.past = F.concat([self.past, y[1]], axis=2) if hasattr(self, 'past') else y[1]
        y[1] = self.past
        return self.c_proj(self._merge_heads(self._attn(*y), self.num_heads, self.head_dim))
