from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    pad = (token_ids == pad_token_id).cast(dtype)
    return (pad * -1e30).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    hidden = (causal < 0).cast(padding.dtype) + (padding < 0).cast(padding.dtype)
    return hidden * -1e30
