from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Mask:
    def __init__(self, rows, past, dtype, device):
        self.rows = int(rows)
        self.past = int(past)
        self.options = {"dtype": dtype, "device": device}

    @property
    def width(self):
        return self.rows + self.past

    def steps(self, count):
        ones = Tensor.ones([count], **self.options)
        return F.cumsum(ones, axis=0)

    def hidden(self):
        key = self.steps(self.width).unsqueeze(0)
        query = self.steps(self.rows).unsqueeze(1) + self.past
        return query < key

    def build(self):
        low = Tensor(float("-inf"), **self.options)
        return F.where(self.hidden(), low, Tensor(0.0, **self.options))


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    single = DType.float32
    return Mask(sequence_length, num_tokens, single, device).build().cast(dtype)
