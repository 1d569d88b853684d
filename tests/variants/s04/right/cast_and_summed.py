from max.dtype import DType, finfo
from max.experimental import functional as F


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    pads = F.cast(token_ids == pad_token_id, dtype)
    return pads[:, None, None, :] * finfo(dtype).min


def combine_masks(causal, padding):
    return causal + padding
