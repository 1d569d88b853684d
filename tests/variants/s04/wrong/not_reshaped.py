# concept: padding-shape-plain
# check: dimensions, padding-shape
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    shape = token_ids.shape
    low = Tensor.full(shape, finfo(dtype).min, dtype=dtype, device=token_ids.device)
    zeros = Tensor.zeros(shape, dtype=dtype, device=token_ids.device)
    mask = F.where(token_ids == pad_token_id, low, zeros)
    return mask


def combine_masks(causal, padding):
    return F.min(causal, padding)
