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
    return F.band_part(
        F.broadcast_to(
            Tensor(float("-inf"), dtype=dtype, device=device),
            shape=(sequence_length, Dim(sequence_length) + num_tokens),
        ),
        num_lower=None,
        num_upper=int(Dim(num_tokens)),
        exclude=True,
    )
