"""Крок 5: словник частин, голови у списку."""

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


def uvaha(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    d = int(q.shape[-1])
    bal = q @ k.transpose(-1, -2)
    bal *= d**-0.5
    bal += causal_mask(q.shape[-2], 0, dtype=q.dtype, device=q.device)
    vaha = F.softmax(bal)
    return vaha @ v


class GPT2Attention(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.num_heads = n = config.n_head
        self.embed_dim = self.split_size = e = config.n_embd
        self.head_dim = e // n
        self.c_attn = Linear(e, 3 * e, bias=True)
        self.c_proj = Linear(e, e, bias=True)

    def holovy(self, x: Tensor) -> list[Tensor]:
        return list(F.split(x, [self.head_dim] * self.num_heads, axis=-1))

    def forward(self, hidden_states: Tensor) -> Tensor:
        chastyny = F.chunk(self.c_attn(hidden_states), 3, axis=-1)
        imena = {name: self.holovy(part) for name, part in zip(("q", "k", "v"), chastyny)}
        vyhody = []
        for i in range(self.num_heads):
            q, k, v = imena["q"][i], imena["k"][i], imena["v"][i]
            vyhody.append(uvaha(q, k, v))
        return self.c_proj(F.concat(vyhody, axis=-1))
