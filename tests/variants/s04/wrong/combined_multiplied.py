# concept: combined-multiplied
# check: combine
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    # mask = token_ids != pad_token_id      # that was a bool mask
    is_padding = token_ids == pad_token_id
    print("padding:", is_padding.shape, is_padding.dtype)
    hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    visible = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(is_padding, hidden, visible)
    print("mask:", mask.shape)
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    # return causal * padding
    print("combining", causal.shape, padding.shape)
    return causal * padding
