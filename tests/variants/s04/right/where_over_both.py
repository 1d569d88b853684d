from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    visible = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(token_ids == pad_token_id, hidden, visible)
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.where(padding < causal, padding, causal)
