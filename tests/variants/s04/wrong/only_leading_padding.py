# concept: padding-leading
# check: padding, padding-numbers
import numpy as np
from max.dtype import DType
from max.experimental.tensor import Tensor


def padding_mask(token_ids, pad_token_id, *, dtype=DType.float32):
    ids = token_ids.to_numpy()
    mask = np.where(np.cumsum(ids != pad_token_id, axis=-1) == 0, np.finfo(np.float32).min, 0.0)
    mask = mask[:, None, None, :].astype(dtype.to_numpy())
    return Tensor.from_dlpack(np.ascontiguousarray(mask))


def combine_masks(causal, padding):
    both = np.minimum(causal.to_numpy(), padding.to_numpy())
    return Tensor.from_dlpack(np.ascontiguousarray(both))
