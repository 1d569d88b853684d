from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    ones = Tensor.ones([s, s + t], dtype=DType.float32, device=device)
    row = F.cumsum(ones, axis=0)  # 1, 2, 3 ... downwards
    column = F.cumsum(ones, axis=1)
    mask = F.where(column > row + t, Tensor(float("-inf"), device=device), Tensor(0.0, device=device))
    return mask.cast(dtype)
