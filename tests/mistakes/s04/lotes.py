from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Relleno:
    def __init__(self, marca, tipo):
        self.marca = marca
        self.tipo = tipo
        self.minimo = finfo(tipo).min

    def ocultos(self, fila):
        return fila == self.marca

    def __call__(self, fila):
        donde = self.ocultos(fila)
        bajo = Tensor(self.minimo, dtype=self.tipo, device=fila.device)
        cero = Tensor(0.0, dtype=self.tipo, device=fila.device)
        return F.where(donde, bajo, cero)


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    relleno = Relleno(pad_token_id, dtype)
    filas = map(relleno, [token_ids[i] for i in range(int(token_ids.shape[0]))])
    juntas = F.stack(list(filas), axis=0)
    return juntas.unsqueeze(-2).unsqueeze(-2)


def combine_masks(causal, padding):
    suma = causal + padding
    return F.max(suma, F.min(causal, padding))
