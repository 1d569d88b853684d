from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

CAN = math.sqrt(2.0 / math.pi)
BAC_BA = 0.044715


def uon_cong(t: Tensor) -> Tensor:
    lap_phuong = t * t * t
    ben_trong = CAN * (t + BAC_BA * lap_phuong)
    return 0.5 * t * (1.0 + F.tanh(ben_trong))


def do_rong(config: GPT2Config) -> int:
    if config.n_inner is not None:
        return config.n_inner
    return config.n_embd * 4


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config):
        super().__init__()
        rong = config.n_embd
        self.c_fc = Linear(in_dim=rong, out_dim=intermediate_size, bias=True)
        self.c_proj = Linear(in_dim=intermediate_size, out_dim=rong, bias=True)

    def forward(self, hidden_states: Tensor) -> Tensor:
        mo_rong = self.c_fc(hidden_states)
        cong = uon_cong(mo_rong)
        thu_hep = self.c_proj(cong)
        return thu_hep


class GPT2Block(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        rong = config.n_embd
        nho = config.layer_norm_epsilon
        self.ln_1 = LayerNorm(rong, nho)
        self.attn = GPT2Attention(config)
        self.ln_2 = LayerNorm(rong, nho)
        self.mlp = GPT2MLP(do_rong(config), config)

    def _chu_y(self, x: Tensor) -> Tensor:
        sach = self.ln_1(x)
        return self.attn(sach)

    def _suy_nghi(self, x: Tensor) -> Tensor:
        sach = self.ln_2(x)
        return self.mlp(sach)

    def forward(self, hidden_states: Tensor) -> Tensor:
        x = hidden_states
        x = x + self._chu_y(x)
        x = x + self._suy_nghi(x)
        return x
