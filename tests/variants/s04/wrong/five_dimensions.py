# concept: dimensions
# check: dimensions, padding-shape
import max.experimental.functional as fn
from max.dtype import DType, finfo
from max.experimental.tensor import Tensor


def padding_mask(
    token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32
) -> Tensor:
    is_padding = fn.equal(token_ids, pad_token_id)
    hidden = fn.constant(finfo(dtype).min, dtype, token_ids.device)
    visible = fn.constant(0.0, dtype, token_ids.device)
    mask = fn.where(is_padding, hidden, visible)
    return fn.unsqueeze(fn.unsqueeze(fn.unsqueeze(mask, 1), 1), 1)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    return fn.min(causal, padding)
