import numpy
from max.experimental import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    i = numpy.arange(int(sequence_length))[:, None] + int(num_tokens)
    j = numpy.arange(int(sequence_length) + int(num_tokens))[None, :]
    mask = numpy.where(j > i, float("-inf"), 0.0)
    return Tensor(mask.tolist(), dtype=dtype, device=device)
