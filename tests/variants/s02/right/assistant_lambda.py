from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim


def sizes(sequence_length, num_tokens):
    rows = int(Dim(sequence_length))
    return rows, rows + int(Dim(num_tokens))


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    rows, columns = sizes(sequence_length, num_tokens)
    shift = columns - rows
    make = lambda number: Tensor(number, dtype=dtype, device=device)
    ones = F.broadcast_to(make(1.0), [rows, columns])
    future = F.band_part(ones, num_lower=None, num_upper=shift, exclude=True)
    return F.where(future == 1.0, make(float("-inf")), make(0.0))
