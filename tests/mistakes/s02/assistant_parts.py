from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Builder:
    def __init__(self, dtype, device):
        self.options = {"dtype": dtype, "device": device}

    def past(self, rows, columns):
        return Tensor.zeros([rows, columns], **self.options)

    def square(self, side):
        full = Tensor.full([side, side], -float("inf"), **self.options)
        return F.band_part(full, None, 0, exclude=True)


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    new, old = int(sequence_length), int(num_tokens)
    builder = Builder(dtype, device)
    square = builder.square(new)
    if old == 0:
        return square
    return F.concat([builder.past(new, old), square], axis=1)
