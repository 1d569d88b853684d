from max.experimental import functional as F
from max.experimental.tensor import Tensor

NEG = float("-inf")


def one_row(i, old, new):
    visible = old + i + 1
    return [0.0] * visible + [NEG] * (new - i - 1)


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    new = int(sequence_length)
    old = int(num_tokens)
    table = [one_row(i, old, new) for i in range(new)]
    return Tensor(table, dtype=dtype, device=device)
