from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


padding_mask = lambda token_ids, pad_token_id, *, dtype=DType.float32: F.where(
    token_ids == pad_token_id,
    Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device),
    Tensor(0.0, dtype=dtype, device=token_ids.device),
).unsqueeze(1).unsqueeze(1)

combine_masks = lambda causal, padding: F.min(causal, padding)
