from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    keep = (token_ids != pad_token_id).cast(dtype)
    keep = keep.unsqueeze(1).unsqueeze(1)
    return (1.0 - keep) * finfo(dtype).min


def combine_masks(causal, padding):
    return padding + causal
