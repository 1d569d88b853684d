# concept: mask-after-softmax | mask-subtracted
# check: mask
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_02 import causal_mask


def split_heads(tensor, num_heads, head_size):
    return tensor.reshape(tensor.shape[:-1] + [num_heads, head_size]).transpose(-3, -2)


def merge_heads(tensor):
    tensor = tensor.transpose(-3, -2)
    *front, heads, size = tensor.shape
    return tensor.reshape([*front, heads * size])


def attention(query, key, value):
    logits = query @ key.transpose(-1, -2) / math.sqrt(int(key.shape[-1]))
    weights = F.softmax(logits) + causal_mask(
        key.shape[-2], 0, dtype=logits.dtype, device=logits.device
    )
    return weights @ value


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, hidden_states):
        heads = (
            split_heads(part, self.num_heads, self.head_dim)
            for part in F.split(self.c_attn(hidden_states), [self.split_size] * 3, axis=2)
        )
        return self.c_proj(merge_heads(attention(*heads)))
