# concept: functions
# check: functions, padding-runs
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id):
    hide = Tensor(finfo(DType.float32).min, dtype=DType.float32, device=token_ids.device)
    show = Tensor(0.0, dtype=DType.float32, device=token_ids.device)
    return F.where(token_ids == pad_token_id, hide, show)[:, None, None, :]


def combine_masks(causal, padding):
    return F.min(causal, padding)
