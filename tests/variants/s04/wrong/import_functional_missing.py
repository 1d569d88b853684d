# concept: import-functional
# check: import-functional, padding-runs
from max.dtype import DType, finfo
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    hide = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    show = Tensor(0.0, dtype=dtype, device=token_ids.device)
    return F.where(token_ids == pad_token_id, hide, show)[:, None, None, :]


def combine_masks(causal, padding):
    return F.min(causal, padding)
