import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor

def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    lowest = float(np.finfo(dtype.to_numpy()).min)
    hidden = Tensor(lowest, dtype=dtype, device=token_ids.device)
    visible = Tensor(0, dtype=dtype, device=token_ids.device)
    return F.where(token_ids == pad_token_id, hidden, visible).unsqueeze(1).unsqueeze(1)


def combine_masks(causal, padding):
    return F.min(causal, padding)
