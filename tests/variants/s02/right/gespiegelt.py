"""Die Maske, erst hochkant gebaut und dann gedreht."""

from __future__ import annotations

import math
from functools import partial

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

VERBOTEN = -math.inf
ausschneiden = partial(F.band_part, exclude=True)


def drehen(matrix: Tensor) -> Tensor:
    return matrix.transpose(1, 0)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    neue = int(Dim(sequence_length))
    alte = int(Dim(num_tokens))
    alle = neue + alte

    # Zeilen: angesehene Token, Spalten: schauende Token.
    hochkant = Tensor.full((alle, neue), VERBOTEN, dtype=dtype, device=device)
    # Erlaubt ist j - i <= alte; hier ist j die Zeile.
    hochkant = ausschneiden(hochkant, num_lower=alte, num_upper=None)
    return drehen(hochkant)
