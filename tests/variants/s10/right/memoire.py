"""Étape 10 : de petites classes pour la mémoire et les positions."""
from __future__ import annotations
from dataclasses import dataclass
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0


@dataclass(frozen=True)
class Memoire:
    """Les clés et les valeurs déjà vues, ou rien."""

    paire: KeyValue | None = None

    @property
    def longueur(self):
        return 0 if self.paire is None else self.paire[0].shape[-2]

    def prolonger(self, cles: Tensor, valeurs: Tensor) -> KeyValue:
        if self.paire is None:
            return cles, valeurs
        return tuple(
            F.concat([ancien, nouveau], axis=-2)
            for ancien, nouveau in zip(self.paire, (cles, valeurs), strict=True)
        )


def ajouter(base: Tensor, *options: Tensor | None) -> Tensor:
    somme = base
    for option in options:
        if option is None:
            continue
        somme = somme + option
    return somme


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int, num_heads: int, dropout: float = 0.1, bias: bool = True,
        add_zero_attn: bool = False, use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        if hidden_size % num_heads != 0:
            raise ValueError(f"{num_heads} têtes ne divisent pas {hidden_size}")
        self.hidden_size, self.num_heads = hidden_size, num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.qkv_proj = Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.scale = attention_scale if attention_scale is not None else self.head_dim**-0.5
        self.rotary: RotaryEmbedding | None = (
            RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA) if use_rotary else None
        )

    def _split_heads(self, tensor: Tensor) -> Tensor:
        forme = [*tensor.shape[:-1], self.num_heads, self.head_dim]
        return tensor.reshape(forme).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        tensor = tensor.permute([0, 2, 1, 3])
        return tensor.reshape([*tensor.shape[:2], self.hidden_size])

    def _poids(self, scores: Tensor, zero: Tensor) -> Tensor:
        if not self.add_zero_attn:
            return F.softmax(scores)
        # Le zéro vient devant : sa colonne est donc la première.
        return F.softmax(F.concat([zero, scores], axis=-1))[..., 1:]

    def _attn(
        self,
        query: Tensor, key: Tensor, value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        scores = self.scale * (query @ key.T)
        scores = ajouter(scores, attention_mask, position_bias)
        return self._poids(scores, query[..., -1:] * 0) @ value

    def _tourner(self, debut, *tenseurs: Tensor) -> list[Tensor]:
        if self.rotary is None:
            return list(tenseurs)
        premier = tenseurs[0]
        fin = debut + premier.shape[-2]
        positions = F.range(debut, fin, dtype=DType.int64, device=premier.device)
        return [self.rotary(t, positions) for t in tenseurs]

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        memoire = Memoire(past_key_value)
        projete = self.qkv_proj(hidden_states)
        q, k, v = map(self._split_heads, projete.split([self.hidden_size] * 3, axis=2))
        q, k = self._tourner(memoire.longueur, q, k)
        k, v = memoire.prolonger(k, v)
        contexte = self._attn(
            q, k, v, position_bias=position_bias, attention_mask=attention_mask
        )
        return self.out_proj(self._merge_heads(contexte)), (k, v) if use_cache else None
