import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.driver import Device
from max.dtype import DType
from max.graph import Dim, DimLike


@F.functional
def causal_mask(sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device) -> Tensor:
    n = Dim(sequence_length) + num_tokens
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = F.broadcast_to(mask, shape=(sequence_length, n))
    return F.band_part(mask, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)


def attend(q, k, v):
    d = int(q.shape[-1])
    t = q.shape[-2]
    logits = q @ k.transpose(-1, -2) / math.sqrt(d)
    logits = logits + causal_mask(t, 0, dtype=q.dtype, device=q.device)
    return F.softmax(logits) @ v


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.n_head
        self.width = config.n_embd
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = Linear(config.n_embd, config.n_embd)

    def __call__(self, x):
        outs = []
        q, k, v = F.split(self.c_attn(x), [self.width, self.width, self.width], axis=-1)
        size = self.width // self.heads
        for h in range(self.heads):
            lo, hi = h * size, (h + 1) * size
            outs.append(attend(q[:, :, lo:hi], k[:, :, lo:hi], v[:, :, lo:hi]))
        return self.c_proj(F.concat(outs, axis=-1))
