"""Étape 11 : le modèle entier."""

import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList

from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

TOURNER = ("c_attn.weight", "c_proj.weight", "c_fc.weight")


class GPT2Model(Module):
    def __init__(self, config):
        super().__init__()
        largeur = config.n_embd
        self.wte = Embedding(config.vocab_size, dim=largeur)
        self.wpe = Embedding(config.n_positions, dim=largeur)
        blocs = []
        for _ in range(config.n_layer):
            blocs.append(GPT2Block(config))
        self.h = ModuleList(blocs)
        self.ln_f = LayerNorm(largeur, config.layer_norm_epsilon)

    def forward(self, mots):
        longueur = mots.shape[1]
        places = F.range(0, longueur, dtype=DType.int64, device=mots.device)
        flux = self.wte(mots)
        flux = flux + self.wpe(places)
        for bloc in self.h:
            flux = bloc(flux)
        return self.ln_f(flux)


class GPT2LMHeadModel(Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def forward(self, mots):
        vecteurs = self.transformer(mots)
        table = self.transformer.wte.weight
        return vecteurs @ table.T


def convert_checkpoint(model, checkpoint):
    formes = {nom: [int(n) for n in p.shape] for nom, p in model.parameters}
    poids = {}
    erreurs = []
    for nom, tableau in checkpoint.items():
        if nom == "lm_head.weight" and tied(nom, checkpoint) or nom.endswith((".attn.bias", ".attn.masked_bias")):
            continue
        if not nom.startswith("transformer."):
            nom = "transformer." + nom
        if nom.endswith(TOURNER):
            tableau = tableau.T
        if nom not in formes:
            erreurs.append("inconnu : " + nom)
            continue
        if list(tableau.shape) != formes[nom]:
            erreurs.append("forme fausse : " + nom)
        poids[nom] = np.ascontiguousarray(tableau, dtype=np.float32)
    for nom in formes:
        if nom not in poids:
            erreurs.append("absent : " + nom)
    if erreurs:
        raise CheckpointError("\n".join(erreurs))
    return poids


class CheckpointError(ValueError):
    pass


def tied(name, checkpoint):
    table = checkpoint.get("transformer.wte.weight", checkpoint.get("wte.weight"))
    return name != "lm_head.weight" or np.array_equal(checkpoint[name], table)
