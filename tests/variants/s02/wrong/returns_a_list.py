# concept: runs
# check: runs
from max.experimental.tensor import Tensor

MINUS_INFINITY = float("-inf")


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    sequence_length = int(sequence_length)
    num_tokens = int(num_tokens)
    rows = []
    for i in range(sequence_length):
        row = []
        for j in range(num_tokens + sequence_length):
            if j <= num_tokens + i:
                row.append(0.0)
            else:
                row.append(MINUS_INFINITY)
        rows.append(row)
    return rows
