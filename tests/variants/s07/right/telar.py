"""Un telar de cabezas: la mascara sale de una comparacion de indices."""

from __future__ import annotations

from math import sqrt

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
    """Futuro oculto: la columna menos la fila pasa de num_tokens."""
    previas = int(Dim(num_tokens))
    filas = Dim(sequence_length)
    columnas = filas + previas
    negro = F.broadcast_to(
        Tensor(-float("inf"), device=device, dtype=dtype), [filas, columnas]
    )
    # lo contrario de excluir: guardar la banda de ceros no cambia nada,
    # por eso se excluye la banda que se puede mirar
    return F.band_part(negro, None, previas, True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config: GPT2Config) -> None:
        super().__init__()
        try:
            self.head_dim = config.n_embd // config.n_head
        except ZeroDivisionError as fallo:
            raise ValueError("n_head no puede ser 0") from fallo
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.split_size = config.n_embd
        for nombre, salida in {"c_attn": 3, "c_proj": 1}.items():
            setattr(self, nombre, Linear(config.n_embd, salida * config.n_embd, bias=True))

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        hilos = [
            tensor[..., h * attn_head_size : (h + 1) * attn_head_size] for h in range(num_heads)
        ]
        return F.stack(hilos, axis=-3)

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        hilos = F.split(tensor, [1] * num_heads, axis=1)
        return F.concat([F.squeeze(hilo, 1) for hilo in hilos], axis=-1)

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        def ocultar(tabla: Tensor) -> Tensor:
            largo = tabla.shape[-2]
            return causal_mask(largo, 0, dtype=tabla.dtype, device=tabla.device) + tabla

        def repartir(tabla: Tensor) -> Tensor:
            return F.exp(F.logsoftmax(tabla))

        ancho = int(query.shape[-1])
        tabla = F.matmul(query, F.transpose(key, 2, 3))
        tabla = tabla * (sqrt(ancho) / ancho)  # raiz(n) / n es 1 / raiz(n)
        return F.matmul(repartir(ocultar(tabla)), value)

    def __call__(self, hidden_states: Tensor) -> Tensor:
        trio = F.chunk(self.c_attn(hidden_states), chunks=3, axis=-1)
        medidas = {"num_heads": self.num_heads, "attn_head_size": self.head_dim}
        trio = [self._split_heads(hebra, **medidas) for hebra in trio]
        tejido = self._attn(*trio)
        return self.c_proj(self._merge_heads(tejido, **medidas))
