# concept: runs
# check: runs, shape
from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike


@F.functional
def causal_mask(
    sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device
) -> Tensor:
    """The mask of the longest text, cut to size."""
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = F.broadcast_to(mask, shape=(256, 256))
    mask = F.band_part(mask, num_lower=None, num_upper=0, exclude=True)
    rows, before = int(Dim(sequence_length)), int(Dim(num_tokens))
    return mask[before : before + rows, : before + rows]
