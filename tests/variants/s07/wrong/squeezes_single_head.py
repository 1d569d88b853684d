# concept: numbers
# check: forward, shape, numbers
import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.dtype import DType
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    query = Tensor.arange(rows, dtype=DType.int32, device=device).unsqueeze(1) + before
    key = Tensor.arange(rows + before, dtype=DType.int32, device=device).unsqueeze(0)
    zeros = Tensor.zeros([rows, rows + before], dtype=dtype, device=device)
    hidden = Tensor.full([rows, rows + before], float("-inf"), dtype=dtype, device=device)
    return F.where(key <= query, zeros, hidden)


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
            start = head * self.head_dim
            end = start + self.head_dim
            q = query[:, :, start:end]
            k = key[:, :, start:end]
            v = value[:, :, start:end]
            scores = q @ k.transpose(1, 2) / math.sqrt(self.head_dim) + mask
            outputs.append(F.softmax(scores) @ v)
        stacked = F.stack(outputs, axis=2)  # [batch, seq, n_head, head_dim]
        if self.num_heads == 1:
            stacked = stacked.squeeze(2)
        return self.c_proj(F.flatten(stacked, -2))
