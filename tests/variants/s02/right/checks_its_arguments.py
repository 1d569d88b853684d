from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    if int(Dim(sequence_length)) < 1 or int(Dim(num_tokens)) < 0:
        raise ValueError(f"no mask for {sequence_length} and {num_tokens} tokens")
    assert dtype is not None
    n = Dim(sequence_length) + Dim(num_tokens)
    try:
        mask = Tensor(float("-inf"), dtype=dtype, device=device)
    except Exception as error:
        raise RuntimeError("cannot make the constant") from error
    mask = mask.broadcast_to((sequence_length, n))
    return F.band_part(mask, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)
