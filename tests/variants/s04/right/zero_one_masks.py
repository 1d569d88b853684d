from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    pad = (token_ids == pad_token_id).cast(dtype)
    return (pad * finfo(dtype).min).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    hidden = (causal < 0).cast(padding.dtype) + (padding < 0).cast(padding.dtype)
    return F.where(hidden > 0.5, F.min(causal, padding), Tensor(0.0, dtype=padding.dtype, device=padding.device))
