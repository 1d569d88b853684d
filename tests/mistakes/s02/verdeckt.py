from __future__ import annotations

import numpy as np
from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def _verdeckt(zeilen, spalten, versatz):
    zeile = np.arange(zeilen)[:, None]
    spalte = np.arange(spalten)[None, :]
    return spalte > zeile + versatz


def causal_mask(sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device) -> Tensor:
    neu, alt = int(Dim(sequence_length)), int(Dim(num_tokens))
    verdeckt = _verdeckt(neu, alt + neu, alt)
    werte = np.where(verdeckt, -np.inf, 0.0).astype(np.float32)
    maske = Tensor(werte, dtype=DType.float32, device=device)
    return maske.cast(dtype)
