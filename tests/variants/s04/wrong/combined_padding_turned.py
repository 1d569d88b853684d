# concept: combined-queries
# check: combine
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _number(value, like, dtype):
    return Tensor(value, dtype=dtype, device=like.device)


def _for_heads(mask):
    batch, seq = mask.shape[0], mask.shape[1]
    return mask.reshape((batch, 1, 1, seq))


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    low, zero = (_number(v, token_ids, dtype) for v in (finfo(dtype).min, 0.0))
    return _for_heads(F.where(token_ids == pad_token_id, low, zero))


def combine_masks(causal, padding):
    return F.min(causal, padding.transpose(-1, -2))
