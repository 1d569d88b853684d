from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    rows = int(sequence_length)
    before = int(num_tokens)
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = mask.broadcast_to([rows, rows + before])
    return F.band_part(mask, num_lower=None, num_upper=before, exclude=True)
