# concept: padding-true
# check: numbers, padding-runs
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    mask = token_ids == pad_token_id
    mask = mask.unsqueeze(-1).unsqueeze(-1)  # [batch, seq, 1, 1]
    return mask.permute([0, 2, 3, 1])


def combine_masks(causal, padding):
    square = causal.unsqueeze(0).unsqueeze(0)
    return F.min(square, padding)
