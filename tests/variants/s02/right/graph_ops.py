from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.graph import DeviceRef, Dim, DimLike, ops


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
):
    """With the graph's own operations."""
    n = Dim(sequence_length) + num_tokens
    mask = ops.constant(float("-inf"), dtype, DeviceRef.from_device(device))
    mask = ops.broadcast_to(mask, (sequence_length, n))
    return ops.band_part(mask, None, int(Dim(num_tokens)), exclude=True)
