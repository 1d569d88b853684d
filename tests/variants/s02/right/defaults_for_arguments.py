from max.driver import CPU
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens=0, *, dtype=DType.float32, device=CPU()):
    s, t = int(sequence_length), int(num_tokens)
    mask = Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device)
    return F.band_part(mask, num_lower=None, num_upper=t, exclude=True)
