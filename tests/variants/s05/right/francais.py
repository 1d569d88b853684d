"""Étape 5 : l'attention à plusieurs têtes."""

import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, vecteur, tetes, taille):
        lot, mots, _ = vecteur.shape
        coupe = vecteur.reshape([lot, mots, tetes, taille])
        return coupe.permute([0, 2, 1, 3])

    def _merge_heads(self, vecteur, tetes, taille):
        lot, _, mots, _ = vecteur.shape
        droit = vecteur.permute([0, 2, 1, 3])
        return droit.reshape([lot, mots, tetes * taille])

    def _attn(self, requete, cle, valeur):
        racine = math.sqrt(self.head_dim)
        produit = requete @ cle.transpose(-1, -2)
        produit = produit / racine
        longueur = requete.shape[-2]
        masque = causal_mask(longueur, 0, dtype=requete.dtype, device=requete.device)
        produit = produit + masque
        poids = F.softmax(produit)
        return poids @ valeur

    def forward(self, entree):
        melange = self.c_attn(entree)
        morceaux = F.chunk(melange, 3, axis=-1)
        requete, cle, valeur = [
            self._split_heads(morceau, self.num_heads, self.head_dim) for morceau in morceaux
        ]
        sortie = self._attn(requete, cle, valeur)
        sortie = self._merge_heads(sortie, self.num_heads, self.head_dim)
        return self.c_proj(sortie)
