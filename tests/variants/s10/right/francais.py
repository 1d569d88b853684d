"""Étape 10 : l'attention et sa mémoire."""

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module

from solutions.solution_06 import RotaryEmbedding


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size,
        num_heads,
        dropout=0.1,
        bias=True,
        add_zero_attn=False,
        use_rotary=False,
        attention_scale=None,
    ):
        super().__init__()
        self.largeur = hidden_size
        self.tetes = num_heads
        self.taille = hidden_size // num_heads
        self.zero = add_zero_attn
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.facteur = attention_scale
        if self.facteur is None:
            self.facteur = 1 / self.taille**0.5
        self.rotation = None
        if use_rotary:
            self.rotation = RotaryEmbedding(self.taille, 2048, 10000.0)

    def couper(self, x):
        lot, mots, _ = x.shape
        return x.reshape([lot, mots, self.tetes, self.taille]).transpose(1, 2)

    def poids(self, requete, cle, masque, biais):
        scores = requete @ cle.transpose(-1, -2)
        scores = scores * self.facteur
        if biais is not None:
            scores = scores + biais
        if masque is not None:
            scores = scores + masque
        if not self.zero:
            return F.softmax(scores)
        rien = requete[..., :1] * 0.0
        scores = F.concat([scores, rien], axis=-1)
        return F.softmax(scores)[..., :-1]

    def forward(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        melange = self.qkv_proj(hidden_states)
        requete, cle, valeur = F.chunk(melange, 3, axis=-1)
        requete = self.couper(requete)
        cle = self.couper(cle)
        valeur = self.couper(valeur)
        mots = requete.shape[2]
        deja = 0
        if past_key_value is not None:
            deja = past_key_value[0].shape[2]
        if self.rotation is not None:
            places = F.range(deja, deja + mots, dtype=DType.int64, device=requete.device)
            requete = self.rotation(requete, places)
            cle = self.rotation(cle, places)
        if past_key_value is not None:
            vieille_cle, vieille_valeur = past_key_value
            cle = F.concat([vieille_cle, cle], axis=2)
            valeur = F.concat([vieille_valeur, valeur], axis=2)
        poids = self.poids(requete, cle, attention_mask, position_bias)
        sortie = poids @ valeur
        sortie = sortie.transpose(1, 2)
        sortie = sortie.reshape(hidden_states.shape)
        sortie = self.out_proj(sortie)
        if use_cache:
            return sortie, (cle, valeur)
        return sortie, None
