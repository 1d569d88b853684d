"""Schritt 10: alles in einer langen Funktion, nur die festen Methoden daneben."""

from __future__ import annotations

import math

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
        self.bias = bias  # wird nie gelesen
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        masstab = 1.0 / math.sqrt(self.head_dim)
        if attention_scale is not None:
            masstab = attention_scale
        self.scale = masstab
        self.rotary: RotaryEmbedding | None = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    def _split_heads(self, tensor: Tensor) -> Tensor:
        stapel, laenge, _ = tensor.shape
        geteilt = tensor.reshape([stapel, laenge, self.num_heads, self.head_dim])
        return geteilt.transpose(1, 2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        stapel, _, laenge, _ = tensor.shape
        vorn = tensor.transpose(2, 1)
        return vorn.reshape([stapel, laenge, self.hidden_size])

    def _attn(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        punkte = (query * self.scale) @ key.transpose(-1, -2)
        if attention_mask is not None:
            punkte = attention_mask + punkte
        if position_bias is not None:
            punkte = position_bias + punkte
        if not self.add_zero_attn:
            return F.softmax(punkte) @ value
        # Ein Schlüssel aus Nullen am Ende, und ein Wert aus Nullen dazu.
        null_punkte = query[..., 0:1] * 0.0
        null_wert = value[:, :, :1] * 0.0
        punkte = F.concat([punkte, null_punkte], axis=-1)
        value = F.concat([value, null_wert], axis=-2)
        return F.softmax(punkte, axis=-1) @ value

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        alle = self.qkv_proj(hidden_states)
        breite = self.hidden_size
        frage = self._split_heads(alle[..., :breite])
        schluessel = self._split_heads(alle[..., breite : 2 * breite])
        wert = self._split_heads(alle[..., 2 * breite :])

        if past_key_value is None:
            alte_schluessel = alte_werte = None
            vorher = 0
        else:
            alte_schluessel, alte_werte = past_key_value
            vorher = alte_schluessel.shape[2]

        if self.rotary is not None:
            neu = hidden_states.shape[1]
            orte = F.range(vorher, vorher + neu, dtype=DType.int64, device=hidden_states.device)
            schluessel = self.rotary(schluessel, orte)
            frage = self.rotary(frage, orte)

        if alte_schluessel is not None and alte_werte is not None:
            wert = F.concat([alte_werte, wert], axis=2)
            schluessel = F.concat([alte_schluessel, schluessel], axis=2)

        gemischt = self._attn(frage, schluessel, wert, attention_mask, position_bias)
        ausgabe = self.out_proj(self._merge_heads(gemischt))
        if not use_cache:
            return ausgabe, None
        return ausgabe, (schluessel, wert)
