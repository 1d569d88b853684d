"""Attention avec toutes les options."""

from __future__ import annotations

from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        dropout: float = 0.1,
        bias: bool = True,
        add_zero_attn: bool = False,
        use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        largeur = hidden_size
        self.out_proj = Linear(in_dim=largeur, out_dim=largeur, bias=bias)
        self.qkv_proj = Linear(in_dim=largeur, out_dim=largeur * 3, bias=bias)
        if attention_scale is None:
            attention_scale = 1 / self.head_dim**0.5
        self.scale = attention_scale
        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        b, s, _ = tensor.shape
        return tensor.reshape([b, s, self.num_heads, self.head_dim]).permute([0, 2, 1, 3])

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        b, _, s, _ = tensor.shape
        return tensor.transpose(1, 2).reshape([b, s, self.hidden_size])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        notes = (query * self.scale) @ key.transpose(-1, -2)
        for ajout in (position_bias, attention_mask):
            if ajout is not None:
                notes = notes + ajout
        if not self.add_zero_attn:
            return F.softmax(notes) @ value
        rien = query[..., :1] * 0
        poids = F.softmax(F.concat([notes, rien], axis=-1))
        return poids[..., :-1] @ value

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        q, k, v = F.split(self.qkv_proj(hidden_states), [self.hidden_size] * 3, axis=2)
        q, k, v = self._split_heads(q), self._split_heads(k), self._split_heads(v)
        vieux_k, vieux_v = past_key_value if past_key_value is not None else (None, None)
        debut = vieux_k.shape[2] if vieux_k is not None else 0
        if self.rotary is not None:
            fin = debut + hidden_states.shape[1]
            places = F.range(debut, fin, dtype=DType.int64, device=q.device)
            q, k = self.rotary(q, places), self.rotary(k, places)
        if vieux_k is not None:
            k = F.concat([vieux_k, k], axis=2)
            v = F.concat([vieux_v, v], axis=2)
        contexte = self._attn(q, k, v, attention_mask, position_bias)
        sortie = self.out_proj(self._merge_heads(contexte))
        if use_cache:
            return sortie, (k, v)
        return sortie, None
