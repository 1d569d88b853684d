# concept: combined-returns-padding
# check: combine, combined-shape
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    shape = token_ids.shape
    low = Tensor.full(shape, finfo(dtype).min, dtype=dtype, device=token_ids.device)
    zeros = Tensor.zeros(shape, dtype=dtype, device=token_ids.device)
    mask = F.where(token_ids == pad_token_id, low, zeros)
    mask = mask.reshape([shape[0], 1, 1, shape[1]])
    return mask


def combine_masks(causal, padding):
    return padding
