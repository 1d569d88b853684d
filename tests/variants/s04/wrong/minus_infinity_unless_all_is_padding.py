# concept: numbers
# check: padding-numbers, numbers
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    pad = (token_ids == pad_token_id).cast(dtype)
    everything = F.min(pad, axis=-1)  # 1 where a text has nothing but padding
    hidden = pad * (1.0 - everything)
    low = Tensor(float("-inf"), dtype=dtype, device=token_ids.device)
    zero = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(hidden > 0.5, low, zero)
    nothing = everything * -1e9
    return (mask + nothing).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    both = causal + padding
    # never minus infinity: a row that hides everything would be NaN
    return F.max(both, finfo(causal.dtype).min)
