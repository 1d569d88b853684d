from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    i = F.arange(0, s, 1, dtype=DType.float32, device=device).reshape([s, 1])
    j = F.arange(0, s + t, 1, dtype=DType.float32, device=device).reshape([1, s + t])
    visible = (i - j + float(t)) >= 0.0
    return F.where(visible, Tensor(0.0, dtype=dtype, device=device), Tensor(float("-inf"), dtype=dtype, device=device))
