from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _escalar(numero, tipo, aparato):
    return Tensor(numero, dtype=tipo, device=aparato)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    lote, largo = token_ids.shape
    relleno = (token_ids == pad_token_id).reshape([lote, 1, 1, largo])
    minimo = finfo(dtype).min
    return F.where(
        relleno,
        _escalar(minimo, dtype, token_ids.device),
        _escalar(0.0, dtype, token_ids.device),
    )


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    es_menor = causal < padding
    return F.where(es_menor, causal, padding)
