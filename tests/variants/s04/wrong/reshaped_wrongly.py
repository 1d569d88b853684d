# concept: dimensions
# check: dimensions, padding-shape
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    ones = (token_ids == pad_token_id).cast(dtype)
    mask = ones * finfo(dtype).min
    batch, seq = token_ids.shape
    return mask.reshape([seq, 1, 1, batch])


def combine_masks(causal, padding):
    return F.min(causal, padding)
