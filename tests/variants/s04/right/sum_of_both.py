from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    low = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    nothing = Tensor(0.0, dtype=dtype, device=token_ids.device)
    return F.where(token_ids == pad_token_id, low, nothing)[:, None, None]


def combine_masks(causal, padding):
    return causal + padding
