import numpy as np
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor


class GPT2Attention(Module):
    """The middle part in NumPy, because I know NumPy."""

    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def __call__(self, hidden_states):
        qkv = np.from_dlpack(self.c_attn(hidden_states))
        b, s, _ = qkv.shape
        qkv = qkv.reshape(b, s, 3, self.num_heads, self.head_dim).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(self.head_dim)
        scores = np.where(np.tri(s, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        out = (weights @ v).transpose(0, 2, 1, 3).reshape(b, s, self.embed_dim)
        return self.c_proj(Tensor(np.ascontiguousarray(out, dtype=np.float32)))
