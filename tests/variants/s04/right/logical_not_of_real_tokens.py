from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    real = token_ids != pad_token_id
    hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    visible = Tensor(0.0, dtype=dtype, device=token_ids.device)
    return F.where(F.logical_not(real), hidden, visible).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.min(causal, padding)
