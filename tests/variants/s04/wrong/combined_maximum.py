# concept: combined-highest
# check: combine
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    real = token_ids != pad_token_id
    zero = Tensor.zeros([1], dtype=dtype, device=token_ids.device)
    low = Tensor.full([1], finfo(dtype).min, dtype=dtype, device=token_ids.device)
    mask = F.where(real, zero, low)
    return mask.unsqueeze(-2).unsqueeze(-2)


def combine_masks(causal, padding):
    combined = F.max(padding, causal)
    return combined
