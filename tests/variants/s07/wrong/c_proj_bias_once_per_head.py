# concept: c-proj
# check: c-proj, project, numbers, shape, repeats, causal
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
    """Heads are never merged: each head goes through its own rows of the output projection."""

    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, x):
        qkv = self.c_attn(x)
        mask = causal_mask(x.shape[1], 0, dtype=x.dtype, device=x.device)
        total = 0
        for h in range(self.num_heads):
            lo, hi = h * self.head_dim, (h + 1) * self.head_dim
            q, k, v = (qkv[:, :, i * self.embed_dim + lo : i * self.embed_dim + hi] for i in range(3))
            weights = F.softmax(q @ k.transpose(1, 2) * (1 / math.sqrt(self.head_dim)) + mask)
            total = (weights @ v) @ self.c_proj.weight[:, lo:hi].T + self.c_proj.bias + total
        return total
