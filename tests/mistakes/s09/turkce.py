"""Adım 9: blok, kısa fonksiyonlarla."""

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm

KATSAYI = math.sqrt(2 / math.pi)


def bukme(x: Tensor) -> Tensor:
    kup = x * x * x
    ic = KATSAYI * (x + 0.044715 * kup)
    return x * 0.5 * (F.tanh(ic) + 1)


def genislik(config: GPT2Config) -> int:
    if config.n_inner is not None:
        return config.n_inner
    return config.n_embd * 4


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        dar, genis = config.n_embd, intermediate_size
        self.c_fc = Linear(dar, genis, bias=True)
        self.c_proj = Linear(genis, dar, bias=True)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        ara = hidden_states
        for adim in (self.c_fc, bukme, self.c_proj):
            ara = adim(ara)
        return ara


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        norm = lambda: LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.ln_1 = norm()
        self.ln_2 = norm()
        self.attn = GPT2Attention(config)
        self.mlp = GPT2MLP(genislik(config), config)

    def _dikkat(self, x: Tensor) -> Tensor:
        return self.attn(self.ln_1(x))

    def _ag(self, x: Tensor) -> Tensor:
        return self.mlp(self.ln_2(x))

    def __call__(self, hidden_states: Tensor) -> Tensor:
        for yari in (self._dikkat, self._ag):
            hidden_states = hidden_states + yari(hidden_states)
        return hidden_states
