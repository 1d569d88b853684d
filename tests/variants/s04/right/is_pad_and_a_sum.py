from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    """The lowest number is low enough: its exp is 0."""
    is_pad = token_ids == pad_token_id
    low = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    zero = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(is_pad, low, zero)
    return mask.unsqueeze(1).unsqueeze(2)


def combine_masks(causal, padding):
    return causal + padding
