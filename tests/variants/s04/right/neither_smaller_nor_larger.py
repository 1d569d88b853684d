from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    other = (token_ids < pad_token_id) | (token_ids > pad_token_id)
    low = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    zero = Tensor(0.0, dtype=dtype, device=token_ids.device)
    return F.where(~other, low, zero).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.min(causal, padding)
