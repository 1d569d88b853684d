# concept: numbers
# check: padding-runs, numbers
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    mask = F.where(token_ids == pad_token_id, finfo(dtype).min, 0.0)
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.min(causal, padding)
