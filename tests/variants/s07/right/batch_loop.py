import math
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    """log 1 = 0 and log 0 = -inf, so the logarithm of tril is the mask."""
    shape = [int(sequence_length), int(sequence_length) + int(num_tokens)]
    ones = Tensor.ones(shape, dtype=dtype, device=device)
    return F.log(F.band_part(ones, num_lower=None, num_upper=int(num_tokens)))


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def one_text(self, x):
        # x: [seq, n_embd]
        seq = x.shape[0]
        qkv = self.c_attn(x)
        q, k, v = F.split(qkv, [self.embed_dim] * 3, axis=1)
        q = q.reshape([seq, self.num_heads, self.head_dim]).transpose(0, 1)
        k = k.reshape([seq, self.num_heads, self.head_dim]).transpose(0, 1)
        v = v.reshape([seq, self.num_heads, self.head_dim]).transpose(0, 1)
        s = q @ k.transpose(1, 2)
        s = s / math.sqrt(self.head_dim)
        s = s + causal_mask(seq, 0, dtype=x.dtype, device=x.device)
        o = F.softmax(s) @ v
        o = o.transpose(0, 1).reshape([seq, self.embed_dim])
        return self.c_proj(o)

    def __call__(self, hidden_states):
        texts = []
        for i in range(int(hidden_states.shape[0])):
            texts.append(self.one_text(hidden_states[i]))
        return F.stack(texts, axis=0)
