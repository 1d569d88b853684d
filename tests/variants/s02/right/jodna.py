"""Do tukde: purane tokens ke liye shunya, naye tokens ke liye trikon; phir jod."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def _ginti(lambai: DimLike, naam: str = "lambai") -> int:
    try:
        sankhya = int(Dim(lambai))
    except TypeError as galti:
        raise TypeError(f"{naam} int ya Dim hona chahiye, {lambai!r} nahin") from galti
    if sankhya < 0:
        raise ValueError(f"{naam} rinatmak hai: {sankhya}")
    return sankhya


def _trikon(n: int, dtype: DType, device: Device) -> Tensor:
    anant = Tensor(float("-inf"), dtype=dtype, device=device)
    varg = F.broadcast_to(anant, (n, n))
    return F.band_part(varg, num_upper=0, exclude=True)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    naye = _ginti(sequence_length, "sequence_length")
    purane = _ginti(num_tokens, "num_tokens")

    daayan = _trikon(naye, dtype, device)
    if purane == 0:
        return daayan
    baayan = Tensor.zeros([naye, purane], dtype=dtype, device=device)
    return F.concat([baayan, daayan], axis=1)
