# Aralin 9: ang bloke ng transformer
# Isa-isang hakbang lang. Hindi ko na maalala lahat ng sinabi ni Sir, kaya isinulat ko ang pormula.
from __future__ import annotations

import math

from max.experimental import functional as F
from max.experimental.nn import Linear
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_05 import GPT2Attention
from solutions.solution_08 import LayerNorm


class GPT2Block(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        lapad = config.n_embd
        epsilon = config.layer_norm_epsilon
        # unang kalahati: atensyon
        self.ln_1 = LayerNorm(lapad, epsilon)
        self.attn = GPT2Attention(config)
        # ikalawang kalahati: maliit na network
        self.ln_2 = LayerNorm(lapad, epsilon)
        lapad_sa_loob = config.n_inner
        if lapad_sa_loob is None:
            lapad_sa_loob = lapad * 4
        self.mlp = GPT2MLP(lapad_sa_loob, config)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        # hakbang 1: kopya, normalisado
        simula = hidden_states
        kopya_1 = self.ln_1(simula)
        # hakbang 2: atensyon
        nakita = self.attn(kopya_1)
        # hakbang 3: idagdag
        gitna = simula + nakita
        # hakbang 4: isa pang kopya
        kopya_2 = self.ln_2(gitna)
        # hakbang 5: network
        naisip = self.mlp(kopya_2)
        # hakbang 6: idagdag ulit
        wakas = gitna + naisip
        return wakas


class GPT2MLP(Module):
    def __init__(self, intermediate_size: int, config: GPT2Config) -> None:
        super().__init__()
        makitid = config.n_embd
        malapad = intermediate_size
        self.c_fc = Linear(makitid, malapad, bias=True)
        self.c_proj = Linear(malapad, makitid, bias=True)

    def baluktot(self, x: Tensor) -> Tensor:
        # gelu na may tanh, galing sa pisara
        kubo = x * x * x
        loob = x + 0.044715 * kubo
        ugat = math.sqrt(2 / math.pi)
        loob = ugat * loob
        tangens = F.tanh(loob)
        bahagi = 0.5 * (tangens + 1.0)
        sagot = x * bahagi
        return sagot

    def __call__(self, hidden_states: Tensor) -> Tensor:
        palapad = self.c_fc(hidden_states)
        nabaluktot = self.baluktot(palapad)
        pakitid = self.c_proj(nabaluktot)
        return pakitid
