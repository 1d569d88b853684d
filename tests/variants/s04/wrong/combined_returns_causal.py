# concept: combined-causal-only
# check: combine
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    hidden = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    visible = Tensor(0.0, dtype=dtype, device=token_ids.device)
    mask = F.where(token_ids == pad_token_id, hidden, visible)
    return mask.unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    batch, seq = padding.shape[0], causal.shape[0]
    shape = [batch, 1, seq, seq]
    future = F.broadcast_to(causal, shape)
    empty = F.broadcast_to(padding, shape)
    return future
