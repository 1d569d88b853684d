import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    colonnes = Dim(sequence_length) + num_tokens
    moins = Tensor(float("-inf"), dtype=dtype, device=device)
    carre = F.broadcast_to(moins, shape=(sequence_length, colonnes))
    return F.band_part(carre, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)


def tetes(combien: int, largeur: int):
    """Rend deux fonctions : ouvrir et fermer."""

    def ouvrir(t: Tensor) -> Tensor:
        lot, mots, _ = t.shape
        return t.reshape([lot, mots, combien, largeur]).permute([0, 2, 1, 3])

    def fermer(t: Tensor) -> Tensor:
        lot, _, mots, _ = t.shape
        return t.permute([0, 2, 1, 3]).reshape([lot, mots, combien * largeur])

    return ouvrir, fermer


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        self.embed_dim = config.n_embd
        self.split_size = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def _regarder(self, question: Tensor, cle: Tensor, valeur: Tensor) -> Tensor:
        affinite = question @ cle.transpose(-1, -2) / math.sqrt(self.head_dim)
        longueur = affinite.shape[-2]
        cache = causal_mask(longueur, 0, dtype=affinite.dtype, device=affinite.device)
        poids = F.softmax(affinite + cache)
        return poids @ valeur

    def forward(self, hidden_states: Tensor) -> Tensor:
        ouvrir, fermer = tetes(self.num_heads, self.head_dim)
        projete = self.c_attn(hidden_states)
        taille = self.split_size
        morceaux = []
        for debut in range(0, 3 * taille, taille):
            morceau = projete[..., debut : debut + taille]
            morceaux.append(ouvrir(morceau))
        question, cle, valeur = morceaux
        melange = self._regarder(question, cle, valeur)
        return self.c_proj(fermer(melange))
