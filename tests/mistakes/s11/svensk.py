from __future__ import annotations

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental import nn
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")


class CheckpointError(ValueError):
    pass


class GPT2Model(nn.Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        bredd = config.n_embd
        self.wte = nn.Embedding(config.vocab_size, dim=bredd)
        self.wpe = nn.Embedding(config.n_positions, dim=bredd)
        lag = [GPT2Block(config) for _ in range(config.n_layer)]
        self.h = nn.ModuleList(lag)
        self.ln_f = LayerNorm(bredd, config.layer_norm_epsilon)

    def forward(self, input_ids):
        _, n = input_ids.shape
        plats = F.range(0, n, dtype=DType.int64, device=input_ids.device)
        x = self.wte(input_ids) + self.wpe(plats)
        for lager in self.h:
            x = lager(x)
        return self.ln_f(x)


class GPT2LMHeadModel(nn.Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states):
        return hidden_states @ F.transpose(self.transformer.wte.weight, 0, 1)

    def forward(self, input_ids):
        dolda = self.transformer(input_ids)
        return self.lm_head(dolda)


class Omvandlare:
    def __init__(self, model):
        self.former = {n: [int(d) for d in p.shape] for n, p in model.parameters}
        self.vikter = {}
        self.fel = []

    def ta(self, nyckel, matris):
        if nyckel.endswith(".attn.bias") or nyckel.endswith(".attn.masked_bias"):
            return
        if nyckel == "lm_head.weight":
            return
        namn = nyckel
        if not namn.startswith("transformer."):
            namn = f"transformer.{nyckel}"
        if any(namn.endswith(slut) for slut in TRANSPOSED):
            matris = matris.T
        if namn not in self.former:
            self.fel.append(f"{namn}: finns inte i modellen")
            return
        if list(matris.shape) != self.former[namn]:
            self.fel.append(f"{namn}: {matris.shape}, inte {self.former[namn]}")
        self.vikter[namn] = np.ascontiguousarray(matris.astype(np.float32))

    def saknas(self):
        for namn in self.former:
            if namn not in self.vikter:
                self.fel.append(f"{namn}: saknas")


def convert_checkpoint(model, checkpoint):
    arbete = Omvandlare(model)
    for nyckel, matris in checkpoint.items():
        arbete.ta(nyckel, matris)
    arbete.saknas()
    huvud = checkpoint.get("lm_head.weight")
    tabell = arbete.vikter.get("transformer.wte.weight")
    if huvud is not None and (tabell is None or not np.array_equal(huvud, tabell)):
        arbete.fel.append("lm_head.weight: inte tabellen")
    if arbete.fel:
        raise CheckpointError("\n".join(arbete.fel))
    return arbete.vikter
