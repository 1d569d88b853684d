from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


class _Padding:
    def __init__(self, ids, pad, dtype):
        self.ids = ids
        self.pad = pad
        self.dtype = dtype

    def where(self):
        return self.ids == self.pad

    def number(self, value):
        return Tensor(value, dtype=self.dtype, device=self.ids.device)

    def mask(self):
        low = self.number(finfo(self.dtype).min)
        zero = self.number(0.0)
        flat = F.where(self.where(), low, zero)
        return F.unsqueeze(F.unsqueeze(flat, 1), 1)


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    return _Padding(token_ids, pad_token_id, dtype).mask()


def combine_masks(causal, padding):
    lower = F.min(causal, padding)
    return lower
