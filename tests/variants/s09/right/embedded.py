from __future__ import annotations

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

MLP_RATIO = 4
GELU_MODE = "tanh"


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        n_in = config.n_embd
        n_mid = intermediate_size
        self.c_fc = Linear(n_in, n_mid, bias=True)
        self.c_proj = Linear(n_mid, n_in, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        buf = self.c_fc(hidden_states)
        buf = F.gelu(buf, GELU_MODE)
        buf = self.c_proj(buf)
        return buf


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        eps = config.layer_norm_epsilon
        width = config.n_embd
        inner = config.n_inner
        if inner is None:
            inner = MLP_RATIO * width
        self.ln_1 = LayerNorm(width, eps)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(width, eps)
        self.mlp = GPT2MLP(inner, config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        acc = hidden_states
        tmp = self.ln_1(acc)
        tmp = self.attn(tmp)
        acc = acc + tmp
        tmp = self.ln_2(acc)
        tmp = self.mlp(tmp)
        acc = acc + tmp
        return acc
