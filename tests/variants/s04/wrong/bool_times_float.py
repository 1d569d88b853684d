# concept: choose
# check: padding-runs, choose
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    mask = (token_ids == pad_token_id) * finfo(dtype).min
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.min(causal, padding)
