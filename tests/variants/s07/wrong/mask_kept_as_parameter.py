# concept: tensor-on-self
# check: layers
import math
from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

try:
    from max.nn.module_v3 import Linear, Module
except ImportError:
    from max.experimental.nn import Linear, Module

try:
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor
except ImportError as e:
    raise SystemExit("MAX is not installed") from e


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    rows = int(sequence_length)
    before = int(num_tokens)
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = mask.broadcast_to([rows, rows + before])
    return F.band_part(mask, num_lower=None, num_upper=before, exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)
        x = Tensor.zeros([1])
        self.mask = causal_mask(config.n_positions, 0, dtype=x.dtype, device=x.device)

    def _split_heads(self, tensor, num_heads, attn_head_size):
        new_shape = tensor.shape[:-1] + [num_heads, attn_head_size]
        return tensor.reshape(new_shape).transpose(-3, -2)

    def _merge_heads(self, tensor, num_heads, attn_head_size):
        tensor = tensor.transpose(-3, -2)
        return tensor.reshape(tensor.shape[:-2] + [num_heads * attn_head_size])

    def _attn(self, query, key, value):
        a = query @ key.transpose(-1, -2)
        a = a / math.sqrt(int(value.shape[-1]))
        a = a + self.mask[: int(query.shape[-2]), : int(query.shape[-2])]
        a = F.softmax(a)
        return a @ value

    def __call__(self, hidden_states):
        q, k, v = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        q = self._split_heads(q, self.num_heads, self.head_dim)
        k = self._split_heads(k, self.num_heads, self.head_dim)
        v = self._split_heads(v, self.num_heads, self.head_dim)
        return self.c_proj(self._merge_heads(self._attn(q, k, v), self.num_heads, self.head_dim))
