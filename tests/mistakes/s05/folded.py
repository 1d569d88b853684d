from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """All heads of all texts in one dimension."""

    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.split_size = config.n_embd
        self.c_attn = Linear(config.n_embd, config.n_embd * 3, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def fold(self, tensor: Tensor) -> Tensor:
        batch, seq, _ = tensor.shape
        tensor = tensor.reshape([batch, seq, self.num_heads, self.head_dim])
        tensor = tensor.permute([0, 2, 1, 3])
        return tensor.reshape([batch * self.num_heads, seq, self.head_dim])

    def unfold(self, tensor: Tensor, batch) -> Tensor:
        _, seq, _ = tensor.shape
        tensor = tensor.reshape([batch, self.num_heads, seq, self.head_dim])
        tensor = tensor.permute([0, 2, 1, 3])
        return tensor.reshape([batch, seq, self.embed_dim])

    def weights(self, query: Tensor, key: Tensor) -> Tensor:
        seq = query.shape[1]
        scores = query @ key.permute([0, 2, 1])
        scores = scores * self.head_dim**-0.5
        scores = scores + causal_mask(seq, 0, dtype=scores.dtype, device=scores.device)
        return F.softmax(scores)

    def forward(self, hidden_states: Tensor) -> Tensor:
        batch = hidden_states.shape[0]
        query, key, value = F.chunk(self.c_attn(hidden_states), 3, axis=2)
        query, key, value = self.fold(query), self.fold(key), self.fold(value)
        mixed = self.weights(query, key) @ value
        return self.c_proj(self.unfold(mixed, batch))
