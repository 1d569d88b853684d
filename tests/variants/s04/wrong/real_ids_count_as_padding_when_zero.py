# concept: padding
# check: padding, padding-numbers
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    distance = token_ids - pad_token_id
    low = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    zero = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(distance * token_ids == 0, low, zero)
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.min(causal, padding)
