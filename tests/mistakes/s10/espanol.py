"""Atención con todas las opciones."""
import math

import max.experimental.functional as F
from max.dtype import DType
from max.experimental import nn

from solutions.solution_06 import RotaryEmbedding

POSICIONES = 2048


def sumar_si_hay(puntos, extra):
    """Suma extra a los puntos, si hay."""
    if extra is None:
        return puntos
    return puntos + extra


class MultiHeadAttention(nn.Module):
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
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.add_zero_attn = add_zero_attn
        if attention_scale is None:
            attention_scale = 1 / math.sqrt(self.head_dim)
        self.scale = attention_scale
        self.qkv_proj = nn.Linear(hidden_size, 3 * hidden_size, bias=bias)
        self.out_proj = nn.Linear(hidden_size, hidden_size, bias=bias)
        self.rotary = None
        if use_rotary:
            self.rotary = RotaryEmbedding(self.head_dim, POSICIONES, 10000.0)

    def _split_heads(self, x):
        lote, largo, _ = x.shape
        x = x.reshape([lote, largo, self.num_heads, self.head_dim])
        return x.permute([0, 2, 1, 3])

    def _merge_heads(self, x):
        lote, _, largo, _ = x.shape
        x = x.permute([0, 2, 1, 3])
        return x.reshape([lote, largo, self.hidden_size])

    def _attn(self, query, key, value, attention_mask=None, position_bias=None):
        puntos = F.matmul(query, key.transpose(-2, -1)) * self.scale
        puntos = sumar_si_hay(puntos, position_bias)
        puntos = sumar_si_hay(puntos, attention_mask)
        if not self.add_zero_attn:
            return F.softmax(puntos) @ value
        columna = query[..., :1] * 0  # puntos con la clave de ceros
        pesos = F.softmax(F.concat([puntos, columna], axis=-1))
        pesos = pesos[..., :-1]
        return pesos @ value

    def _rotar(self, query, key, pasado):
        largo = query.shape[-2]
        posiciones = F.range(pasado, pasado + largo, dtype=DType.int64, device=query.device)
        return self.rotary(query, posiciones), self.rotary(key, posiciones)

    def _unir(self, viejo, nuevo):
        return F.concat([viejo, nuevo], axis=-2)

    def __call__(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        qkv = self.qkv_proj(hidden_states)
        query, key, value = F.split(qkv, [self.hidden_size] * 3, axis=-1)
        query = self._split_heads(query)
        key = self._split_heads(key)
        value = self._split_heads(value)

        pasado = 0
        if past_key_value is not None:
            clave_vieja, valor_viejo = past_key_value
            pasado = clave_vieja.shape[-2]
        if self.rotary is not None:
            query, key = self._rotar(query, key, pasado)
        if past_key_value is not None:
            key = self._unir(clave_vieja, key)
            value = self._unir(valor_viejo, value)

        contexto = self._attn(query, key, value, attention_mask, position_bias)
        salida = self.out_proj(self._merge_heads(contexto))
        if use_cache:
            return salida, (key, value)
        return salida, None
