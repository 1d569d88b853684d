# concept: numbers
# check: qkv, heads, numbers, shape, repeats, causal
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
    """one head after the other, like in the picture of the paper"""
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim)
        self.c_proj = Linear(self.embed_dim, self.embed_dim)

    def __call__(self, hidden_states):
        query, key, value = F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        mask = causal_mask(hidden_states.shape[1], 0, dtype=hidden_states.dtype, device=hidden_states.device)
        outputs = []
        for head in range(self.num_heads):
            start = head * (self.head_dim - 1)
            end = start + self.head_dim
            q = query[:, :, start:end]
            k = key[:, :, start:end]
            v = value[:, :, start:end]
            scores = q @ k.transpose(1, 2) / math.sqrt(self.head_dim) + mask
            outputs.append(F.softmax(scores) @ v)
        return self.c_proj(F.concat(outputs, axis=-1))
