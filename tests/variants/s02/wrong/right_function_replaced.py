# concept: no-mask
# check: constant, band, function
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
    n = Dim(sequence_length) + num_tokens
    mask = Tensor(float("-inf"), dtype=dtype, device=device)
    mask = F.broadcast_to(mask, shape=(sequence_length, n))
    return F.band_part(mask, num_lower=None, num_upper=int(Dim(num_tokens)), exclude=True)


@F.functional
def causal_mask(sequence_length, num_tokens, *, dtype, device):
    n = Dim(sequence_length) + num_tokens
    return F.broadcast_to(Tensor(0.0, dtype=dtype, device=device), shape=(sequence_length, n))


if __name__ == "__main__":
    from max.driver import CPU

    print(causal_mask(4, 0, dtype=DType.float32, device=CPU()))
