from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def lowest(dtype):
    return finfo(dtype).min


def indicator(ids, pad):
    """1 for padding, 0 for a token."""
    distance = F.abs(ids - pad)
    token = F.min(distance, 1)
    return 1 - token


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    flags = indicator(token_ids, pad_token_id).cast(dtype)
    flags = flags * lowest(dtype)
    return flags[:, None, None, :]


def combine_masks(causal, padding):
    batch = int(padding.shape[0])
    seq = int(causal.shape[0])
    wide = F.broadcast_to(padding, [batch, 1, seq, seq])
    return F.min(wide, causal)
