# concept: combined-queries-too
# check: combine
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


class Masks:
    def __init__(self, dtype):
        self.dtype = dtype

    def padding(self, ids, pad):
        low = Tensor(finfo(self.dtype).min, dtype=self.dtype, device=ids.device)
        zero = Tensor(0.0, dtype=self.dtype, device=ids.device)
        return F.where(ids == pad, low, zero).unsqueeze(1).unsqueeze(1)

    @staticmethod
    def combine(one, other):
        return F.min(F.min(one, other), other.transpose(-1, -2))


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    return Masks(dtype).padding(token_ids, pad_token_id)


def combine_masks(causal, padding):
    return Masks.combine(causal, padding)
