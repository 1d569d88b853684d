from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    low = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    mask = F.where(token_ids == pad_token_id, low, low * 0.0)
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return -F.max(-causal, -padding)
