"""Le modèle entier, et les poids de Hugging Face."""
import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList

from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

A_TOURNER = ["c_attn.weight", "c_proj.weight", "c_fc.weight"]


class CheckpointError(ValueError):
    """Le checkpoint ne va pas avec le modèle."""


class GPT2Model(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        couches = []
        for _ in range(config.n_layer):
            couches.append(GPT2Block(config))
        self.h = ModuleList(couches)
        self.ln_f = LayerNorm(config.n_embd, config.layer_norm_epsilon)

    def _places(self, input_ids):
        longueur = input_ids.shape[1]
        return F.range(0, longueur, dtype=DType.int64, device=input_ids.device)

    def __call__(self, input_ids):
        jetons = self.wte(input_ids)
        places = self.wpe(self._places(input_ids))
        x = jetons + places
        for i in range(len(self.h)):
            x = self.h[i](x)
        return self.ln_f(x)


class GPT2LMHeadModel(Module):
    def __init__(self, config: GPT2Config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, x):
        table = self.transformer.wte.weight
        return F.matmul(x, table.transpose(0, 1))

    def __call__(self, input_ids):
        x = self.transformer(input_ids)
        scores = self.lm_head(x)
        return scores


def nom_du_modele(cle):
    if cle.startswith("transformer."):
        return cle
    return "transformer." + cle


def est_inutile(cle):
    if cle == "lm_head.weight":
        return True
    return cle.endswith(".attn.bias") or cle.endswith(".attn.masked_bias")


def est_a_tourner(nom):
    for fin in A_TOURNER:
        if nom.endswith(fin):
            return True
    return False


def convert_checkpoint(model, checkpoint):
    formes = {}
    for nom, parametre in model.parameters:
        formes[nom] = tuple(int(taille) for taille in parametre.shape)
    poids = {}
    erreurs = []
    for cle in checkpoint:
        if est_inutile(cle) and tied(cle, checkpoint):
            continue
        nom = nom_du_modele(cle)
        tableau = np.array(checkpoint[cle], dtype=np.float32)
        if est_a_tourner(nom):
            tableau = tableau.T
        if nom not in formes:
            erreurs.append(f"{nom}: inconnu")
        elif tableau.shape != formes[nom]:
            erreurs.append(f"{nom}: {tableau.shape} au lieu de {formes[nom]}")
        poids[nom] = np.ascontiguousarray(tableau)
    for nom in formes:
        if nom not in poids:
            erreurs.append(f"{nom}: absent")
    if len(erreurs) > 0:
        raise CheckpointError("\n".join(erreurs))
    return poids


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
