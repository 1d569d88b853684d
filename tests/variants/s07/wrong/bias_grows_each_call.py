# concept: state-kept
# check: repeats, numbers, qkv
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
import max.experimental.functional as F
from max.experimental.tensor import Tensor


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    total = int(sequence_length) + int(num_tokens)
    everything = Tensor.full(
        [int(sequence_length), total], float("-inf"), dtype=dtype, device=device
    )
    return F.band_part(everything, exclude=True, num_lower=None, num_upper=int(num_tokens))


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, x):
        e, h, d = self.embed_dim, self.num_heads, self.head_dim
        b, s, _ = x.shape

        def project(part):
            w = self.c_attn.weight[part * e : (part + 1) * e]
            bias = self.c_attn.bias[part * e : (part + 1) * e]
            y = x @ w.T + bias
            return y.reshape([b, s, h, d]).transpose(1, 2)

        q, k, v = project(0), project(1), project(2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(d)
        scores = scores + causal_mask(s, 0, dtype=x.dtype, device=x.device)
        out = (F.softmax(scores) @ v).transpose(1, 2).reshape([b, s, e])
        self.c_proj.bias = self.c_proj.bias + 1.0
        return out @ self.c_proj.weight.T + self.c_proj.bias - 1.0
