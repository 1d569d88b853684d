"""Step 04 - think of the mask as a depth buffer: the lower value wins."""

from __future__ import annotations

from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _solid_fill(value: float, extent: list, dtype: DType, device) -> Tensor:
    """A buffer of one colour."""
    return F.full(extent, value, dtype=dtype, device=device)


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """Additive mask [batch, 1, 1, seq]."""
    stencil = token_ids[:, None, None, :] == pad_token_id
    far_depth = finfo(dtype).min
    far_plane = _solid_fill(far_depth, stencil.shape, dtype, token_ids.device)
    near_plane = _solid_fill(0.0, stencil.shape, dtype, token_ids.device)
    return F.where(stencil, far_plane, near_plane)


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Depth test with GL_LESS: keep whichever mask is deeper."""
    depth_test = causal < padding
    framebuffer = F.where(depth_test, causal, padding)
    return framebuffer
