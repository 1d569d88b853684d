# concept: earlier
# check: earlier, band
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, before = int(sequence_length), int(num_tokens)
    query = Tensor.arange(rows, dtype=DType.int32, device=device).unsqueeze(1) - before
    key = Tensor.arange(rows + before, dtype=DType.int32, device=device).unsqueeze(0)
    zeros = Tensor.zeros([rows, rows + before], dtype=dtype, device=device)
    hidden = Tensor.full([rows, rows + before], float("-inf"), dtype=dtype, device=device)
    return F.where(key <= query, zeros, hidden)
