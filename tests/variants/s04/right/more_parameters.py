from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32, device=None, low=None):
    device = device or token_ids.device
    low = finfo(dtype).min if low is None else low
    mask = F.where(
        token_ids == pad_token_id,
        Tensor(low, dtype=dtype, device=device),
        Tensor(0.0, dtype=dtype, device=device),
    )
    return mask.unsqueeze(axis=1).unsqueeze(axis=1)


def combine_masks(causal, padding, *more):
    for mask in (padding, *more):
        causal = F.min(causal, mask)
    return causal
