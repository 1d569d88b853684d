# concept: padding-positive
# check: numbers, padding-numbers
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    """-1e9 is low enough: exp(-1e9) is 0 in float32."""
    is_pad = token_ids == pad_token_id
    low = Tensor(1e9, dtype=dtype, device=token_ids.device)
    zero = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(is_pad, low, zero)
    return mask.unsqueeze(1).unsqueeze(2)


def combine_masks(causal, padding):
    return causal + padding
