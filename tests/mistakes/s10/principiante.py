# Mi capa de atencion. Cada cosa en su metodo.
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from solutions.solution_06 import RotaryEmbedding

MAX_POSITIONS = 2048
THETA = 10000.0


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
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_dim = hidden_size // num_heads
        self.dropout = dropout
        self.add_zero_attn = add_zero_attn
        self.qkv_proj = Linear(hidden_size, hidden_size * 3, bias=bias)
        self.out_proj = Linear(hidden_size, hidden_size, bias=bias)
        self.scale = self._elegir_escala(attention_scale)
        self.rotary = self._crear_rotacion(use_rotary)

    # --- cosas del constructor

    def _elegir_escala(self, escala):
        if escala is not None:
            return escala
        return 1.0 / self.head_dim**0.5

    def _crear_rotacion(self, quiere):
        if not quiere:
            return None
        return RotaryEmbedding(self.head_dim, MAX_POSITIONS, THETA)

    # --- cabezas

    def _split_heads(self, tensor):
        lote, largo = tensor.shape[0], tensor.shape[1]
        en_cabezas = tensor.reshape([lote, largo, self.num_heads, self.head_dim])
        return F.permute(en_cabezas, [0, 2, 1, 3])

    def _merge_heads(self, tensor):
        lote, largo = tensor.shape[0], tensor.shape[2]
        juntas = F.permute(tensor, [0, 2, 1, 3])
        return juntas.reshape([lote, largo, self.hidden_size])

    # --- atencion

    def _puntajes(self, consulta, clave):
        clave_t = F.transpose(clave, -1, -2)
        return F.matmul(consulta, clave_t) * self.scale

    def _sumar_si_hay(self, puntajes, extra):
        if extra is None:
            return puntajes
        return puntajes + extra

    def _pesos(self, puntajes, consulta):
        if not self.add_zero_attn:
            return F.softmax(puntajes, axis=-1)
        columna = F.sum(consulta, axis=-1) * 0.0
        con_cero = F.concat([puntajes, columna], axis=-1)
        pesos = F.softmax(con_cero, axis=-1)
        return pesos[:, :, :, :-1]

    def _attn(self, query, key, value, attention_mask=None, position_bias=None):
        puntajes = self._puntajes(query, key)
        puntajes = self._sumar_si_hay(puntajes, position_bias)
        puntajes = self._sumar_si_hay(puntajes, attention_mask)
        pesos = self._pesos(puntajes, query)
        return F.matmul(pesos, value)

    # --- entrada

    def _proyectar(self, estados):
        todo = self.qkv_proj(estados)
        n = self.hidden_size
        consulta = self._split_heads(todo[:, :, :n])
        clave = self._split_heads(todo[:, :, n : 2 * n])
        valor = self._split_heads(todo[:, :, 2 * n :])
        return consulta, clave, valor

    # --- posiciones y memoria

    def _cuantos_antes(self, memoria):
        if memoria is None:
            return 0
        claves_viejas, _ = memoria
        return claves_viejas.shape[2]

    def _girar(self, consulta, clave, antes):
        if self.rotary is None:
            return consulta, clave
        nuevos = consulta.shape[2]
        posiciones = F.range(antes, antes + nuevos, dtype=DType.int64, device=consulta.device)
        return self.rotary(consulta, posiciones), self.rotary(clave, posiciones)

    def _recordar(self, memoria, clave, valor):
        if memoria is None:
            return clave, valor
        claves_viejas, valores_viejos = memoria
        clave = F.concat([claves_viejas, clave], axis=2)
        valor = F.concat([valores_viejos, valor], axis=2)
        return clave, valor

    # --- todo junto

    def __call__(
        self,
        hidden_states,
        attention_mask=None,
        position_bias=None,
        past_key_value=None,
        use_cache=False,
    ):
        consulta, clave, valor = self._proyectar(hidden_states)
        antes = self._cuantos_antes(past_key_value)
        consulta, clave = self._girar(consulta, clave, antes)
        clave, valor = self._recordar(past_key_value, clave, valor)
        mezcla = self._attn(consulta, clave, valor, attention_mask, position_bias)
        salida = self.out_proj(self._merge_heads(mezcla))
        if use_cache:
            return salida, (clave, valor)
        return salida, None
