# concept: padding-first-text
# check: padding, padding-numbers
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    shape = [token_ids.shape[0], 1, 1, token_ids.shape[1]]
    ids = token_ids.reshape(shape)
    low = F.broadcast_to(Tensor(finfo(dtype).min, dtype=dtype, device=ids.device), shape)
    zero = F.broadcast_to(Tensor(0.0, dtype=dtype, device=ids.device), shape)
    mask = F.where(ids == pad_token_id, low, zero)
    return F.broadcast_to(mask[0:1], shape)


def combine_masks(causal, padding):
    return F.min(causal, padding)
