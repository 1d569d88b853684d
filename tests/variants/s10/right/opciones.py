"""Paso 10: una lista de capas de trabajo, y nombres en español."""
from __future__ import annotations
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_06 import RotaryEmbedding

KeyValue = tuple[Tensor, Tensor]
MAX_POSITIONS = 2048
THETA = 10000.0
ULTIMO = -1
FICHAS = -2


def o_bien(valor, otro):
    """``valor``, o ``otro`` si no se dio ninguno."""
    return otro if valor is None else valor


def unir(nuevo: Tensor, viejo: Tensor | None = None) -> Tensor:
    return nuevo if viejo is None else F.concat([viejo, nuevo], axis=FICHAS)


def contar(pasado: KeyValue | None):
    try:
        claves, _ = pasado
    except TypeError:
        return 0
    return claves.shape[FICHAS]


class MultiHeadAttention(Module):
    def __init__(
        self,
        hidden_size: int, num_heads: int, dropout: float = 0.1, bias: bool = True,
        add_zero_attn: bool = False, use_rotary: bool = False,
        attention_scale: float | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = not not add_zero_attn
        self.qkv_proj = Linear(hidden_size, hidden_size + hidden_size + hidden_size, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scale = float(o_bien(attention_scale, pow(self.head_dim, -0.5)))
        self.rotary: RotaryEmbedding | None = None
        if use_rotary == True:
            self.rotary = RotaryEmbedding(
                self.head_dim, MAX_POSITIONS, THETA
            )

    def _split_heads(self, tensor: Tensor) -> Tensor:
        lote, largo = tensor.shape[0], tensor.shape[1]
        tensor = F.reshape(tensor, [lote, largo, self.num_heads, self.head_dim])
        return F.transpose(tensor, 1, 2)

    def _merge_heads(self, tensor: Tensor) -> Tensor:
        tensor = F.transpose(tensor, 1, 2)
        return F.flatten(tensor, 2, 3)

    def _attn(
        self,
        query: Tensor, key: Tensor, value: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        """La clave nula entra en la softmax a mano."""
        puntos = F.matmul(query, key.transpose(FICHAS, ULTIMO)) * self.scale
        for extra in [position_bias, attention_mask]:
            if extra is not None:
                puntos = puntos + extra
        columnas = [puntos]
        if self.add_zero_attn:
            columnas.append(query[..., :1] * 0)
        if len(columnas) > 1:
            puntos = F.concat(columnas, axis=ULTIMO)
        pesos = F.softmax(puntos)
        if self.add_zero_attn:
            pesos = pesos[..., :-1]
        return F.matmul(pesos, value)

    def __call__(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_bias: Tensor | None = None,
        past_key_value: KeyValue | None = None,
        use_cache: bool = False,
    ) -> tuple[Tensor, KeyValue | None]:
        n = self.hidden_size
        partes = list(F.split(self.qkv_proj(hidden_states), [n, n, n], axis=ULTIMO))
        consulta = self._split_heads(partes[0])
        clave = self._split_heads(partes[1])
        valor = self._split_heads(partes[2])

        pasado = contar(past_key_value)
        if self.rotary is not None:
            lugares = F.range(
                pasado,
                hidden_states.shape[FICHAS] + pasado,
                dtype=DType.int64,
                device=consulta.device,
            )
            consulta = self.rotary(consulta, lugares)
            clave = self.rotary(clave, lugares)

        vieja_clave, viejo_valor = o_bien(past_key_value, (None, None))
        clave = unir(clave, vieja_clave)
        valor = unir(viejo=viejo_valor, nuevo=valor)

        salida = self._attn(consulta, clave, valor, attention_mask, position_bias)
        salida = self._merge_heads(salida)
        salida = self.out_proj(salida)
        guardado = None
        if use_cache:
            guardado = (clave, valor)
        return (salida, guardado)
