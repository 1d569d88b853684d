# concept: softmax-log
# check: softmax
import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
import max.experimental.functional as F
from max.experimental.tensor import Tensor


class Heads:
    """Not a Module: only splits and merges."""

    def __init__(self, count, size):
        self.count = count
        self.size = size

    def split(self, x):
        return x.reshape(x.shape[:-1] + [self.count, self.size]).transpose(-3, -2)

    def merge(self, x):
        x = x.transpose(-3, -2)
        return x.reshape(x.shape[:-2] + [self.count * self.size])


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

    def _attn(self, query, key, value):
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        scores = scores + causal_mask(query.shape[-2], 0, dtype=query.dtype, device=query.device)
        return F.logsoftmax(scores) @ value

    def __call__(self, hidden_states):
        heads = Heads(self.num_heads, self.head_dim)
        q, k, v = [heads.split(t) for t in F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)]
        return self.c_proj(heads.merge(self._attn(q, k, v)))
