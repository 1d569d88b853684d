# concept: runs
# check: function, runs, imports
from solutions.solution_02 import causal_mask as _theirs


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    return _theirs(sequence_length, num_tokens, dtype=dtype, device=device)


def unused(sequence_length, num_tokens, *, dtype, device):
    from max.experimental import functional as F
    from max.experimental.tensor import Tensor

    s, t = int(sequence_length), int(num_tokens)
    return F.band_part(
        Tensor.full([s, s + t], float("-inf"), dtype=dtype, device=device), None, t, exclude=True
    )
