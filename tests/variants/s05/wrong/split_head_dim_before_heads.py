# concept: heads-head-dim | scale-sqrt-n-head + heads-head-dim
# check: split-shape, forward
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module, module_dataclass
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


@module_dataclass
class GPT2Attention(Module):
    c_attn: Linear
    c_proj: Linear
    embed_dim: int
    num_heads: int

    def __init__(self, config: GPT2Config):
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        shape = tensor.shape[:-1] + [attn_head_size, num_heads]
        return tensor.reshape(shape).transpose(-3, -2)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        attn_weights = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        mask = causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.softmax(attn_weights + mask) @ value

    def forward(self, hidden_states: Tensor) -> Tensor:
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=-1)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        out = self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim)
        return self.c_proj(out)
