"""Vaihe 11: koko malli, muunnos sanakirjoilla ja joukoilla."""

from functools import reduce

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor

from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

KAANNETTAVAT = ("c_attn.weight", "c_proj.weight", "c_fc.weight")


class CheckpointError(ValueError):
    pass


class GPT2Model(Module):
    def __init__(self, config):
        super().__init__()
        taulu = lambda rivit: Embedding(rivit, dim=config.n_embd)
        self.wte, self.wpe = taulu(config.vocab_size), taulu(config.n_positions)
        lohkot = []
        while len(lohkot) < config.n_layer:
            lohkot.append(GPT2Block(config))
        self.h = ModuleList(lohkot)
        self.ln_f = LayerNorm(config.n_embd, config.layer_norm_epsilon)

    def paikat(self, input_ids):
        pituus = input_ids.shape[-1]
        return F.range(0, pituus, 1, dtype=DType.int64, device=input_ids.device)

    def __call__(self, input_ids):
        alku = self.wte(input_ids) + self.wpe(self.paikat(input_ids))
        loppu = reduce(lambda tila, lohko: lohko(tila), self.h, alku)
        return self.ln_f(loppu)


class GPT2LMHeadModel(Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, hidden_states):
        taulu = self.transformer.wte.weight
        kaannetty = taulu.transpose(0, 1)
        return F.matmul(hidden_states, kaannetty)

    def __call__(self, input_ids):
        tila = self.transformer(input_ids)
        return self.lm_head(tila)


def nimi(avain):
    return "transformer." + avain.removeprefix("transformer.")


def ohita(avain):
    return avain == "lm_head.weight" or avain.endswith((".attn.bias", ".attn.masked_bias"))


def taulukko(avain, arvo):
    kaanna = any(avain.endswith(loppu) for loppu in KAANNETTAVAT)
    return np.ascontiguousarray(arvo.T if kaanna else arvo).astype(np.float32)


def convert_checkpoint(model, checkpoint):
    muodot = {avain: tuple(map(int, p.shape)) for avain, p in model.parameters}
    painot = {nimi(a): taulukko(a, arvo) for a, arvo in checkpoint.items() if not (ohita(a) and tied(a, checkpoint))}
    puuttuvat = sorted(muodot.keys() - painot.keys())
    ylimaaraiset = sorted(painot.keys() - muodot.keys())
    yhteiset = muodot.keys() & painot.keys()
    vaarat = [a for a in sorted(yhteiset) if painot[a].shape != muodot[a]]
    viat = [*puuttuvat, *ylimaaraiset, *vaarat]
    if viat:
        raise CheckpointError("eivät sovi: " + ", ".join(viat))
    return painot


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
