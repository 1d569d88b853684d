import numpy as np
from max.dtype import DType
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    ids = token_ids.to_numpy()
    mask = np.where(ids == pad_token_id, np.finfo(dtype.to_numpy()).min, 0.0)
    mask = mask[:, None, None, :].astype(dtype.to_numpy())
    return Tensor.from_dlpack(np.ascontiguousarray(mask))


def combine_masks(causal, padding):
    both = np.minimum(causal.to_numpy(), padding.to_numpy())
    return Tensor.from_dlpack(np.ascontiguousarray(both))
