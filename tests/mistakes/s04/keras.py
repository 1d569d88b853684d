from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def compute_mask(inputs: Tensor, mask_value: int) -> Tensor:
    # like keras.layers.Masking / Embedding(mask_zero=True): True = real timestep
    return inputs != mask_value


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    timesteps = compute_mask(token_ids, pad_token_id)
    keep = timesteps.cast(dtype)
    drop = 1.0 - keep
    large_negative = Tensor(finfo(dtype).min, dtype=dtype, device=token_ids.device)
    additive = drop * large_negative
    batch_size, max_len = token_ids.shape
    target_shape = [batch_size, 1, 1, max_len]
    return additive.reshape(target_shape)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    batch_size = padding.shape[0]
    max_len = padding.shape[-1]
    full_shape = [batch_size, 1, max_len, max_len]
    a = causal.broadcast_to(full_shape)
    b = padding.broadcast_to(full_shape)
    merged = F.stack([a, b], axis=0)
    return merged.min(axis=0).reshape(full_shape)
