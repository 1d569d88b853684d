from max.experimental import functional as F
from max.experimental.tensor import Tensor


def causal_mask(sequence_length, num_tokens, *, dtype, device):
    s, t = int(sequence_length), int(num_tokens)
    rows = []
    for i in range(s):
        seen = Tensor.zeros([t + i + 1], dtype=dtype, device=device)
        unseen = Tensor.full([s - i - 1], float("-inf"), dtype=dtype, device=device)
        rows.append(F.concat([seen, unseen], axis=0) if i + 1 < s else seen)
    return F.stack(rows, axis=0)
