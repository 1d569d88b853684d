import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

ODWROCONE = {"c_attn", "c_proj", "c_fc"}


class CheckpointError(ValueError):
    pass


class GPT2Model(Module):
    def __init__(self, config):
        super().__init__()
        szerokosc = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=szerokosc)
        self.wpe = Embedding(config.n_positions, dim=szerokosc)
        self.h = ModuleList(GPT2Block(config) for _ in range(config.n_layer))
        self.ln_f = LayerNorm(szerokosc, config.layer_norm_epsilon)

    def __call__(self, input_ids):
        dlugosc = input_ids.shape[1]
        miejsca = F.range(0, dlugosc, dtype=DType.int64, device=input_ids.device)
        stan = self.wte(input_ids)
        stan = stan + self.wpe(miejsca)
        for blok in self.h:
            stan = blok(stan)
        return self.ln_f(stan)


class GPT2LMHeadModel(Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, stan):
        tablica = self.transformer.wte.weight
        return stan @ tablica.T

    def __call__(self, input_ids):
        return self.lm_head(self.transformer(input_ids))


def zbedne(nazwa):
    return nazwa.endswith(".attn.bias") or nazwa.endswith(".attn.masked_bias")


def odwrocona(nazwa):
    czesci = nazwa.split(".")
    return czesci[-1] == "weight" and czesci[-2] in ODWROCONE


def convert_checkpoint(model, checkpoint):
    ksztalty = {n: tuple(int(d) for d in p.shape) for n, p in model.parameters}
    wynik = {}
    bledy = []
    for klucz in checkpoint:
        tablica = checkpoint[klucz]
        if zbedne(klucz) or klucz == "lm_head.weight" and tied(klucz, checkpoint):
            continue
        nazwa = klucz
        if not nazwa.startswith("transformer."):
            nazwa = "transformer." + nazwa
        if odwrocona(nazwa):
            tablica = tablica.transpose()
        if nazwa not in ksztalty:
            bledy.append("nieznana " + nazwa)
        elif tablica.shape != ksztalty[nazwa]:
            bledy.append("ksztalt " + nazwa)
        wynik[nazwa] = np.array(tablica, dtype=np.float32, order="C")
    brak = [nazwa for nazwa in ksztalty if nazwa not in wynik]
    bledy.extend("brak " + nazwa for nazwa in brak)
    if bledy:
        raise CheckpointError(", ".join(bledy))
    return wynik


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
