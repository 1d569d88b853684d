from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def fila(ids, relleno, bajo, cero):
    return F.where(ids == relleno, bajo, cero)


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    lote = int(token_ids.shape[0])
    largo = int(token_ids.shape[1])
    bajo = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    cero = Tensor.zeros([], dtype=dtype, device=token_ids.device)
    filas = [fila(token_ids[n], pad_token_id, bajo, cero) for n in range(lote)]
    junto = F.stack(filas, axis=0)
    return junto.reshape([lote, 1, 1, largo])


def combine_masks(causal, padding):
    lote = int(padding.shape[0])
    textos = []
    for n in range(lote):
        textos.append(F.min(causal, padding[n]))
    return F.stack(textos, axis=0)
