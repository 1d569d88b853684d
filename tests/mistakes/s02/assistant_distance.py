from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    total = int(num_tokens) + int(sequence_length)
    pos = Tensor.arange(total, dtype=DType.int32, device=device)
    distance = pos.unsqueeze(0) - pos.unsqueeze(1)
    distance = distance[int(num_tokens):, :]
    future = distance > 0
    low = Tensor(float("-inf"), dtype=dtype, device=device)
    nothing = Tensor(0.0, dtype=dtype, device=device)
    mask = F.where(future, low, nothing)
    return mask
