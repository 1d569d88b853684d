"""Access lists for tokens. Every rule is a metric that is added to the scores."""

from __future__ import annotations

from max.driver import Device
from max.dtype import DType, finfo
from max.experimental import functional as F
from max.experimental.tensor import Tensor

PERMIT, DENY = "permit", "deny"


def combine_masks(causal: Tensor, padding: Tensor) -> Tensor:
    """Two access lists in a row: the stricter one decides."""
    first_is_stricter = causal < padding  # [batch, 1, seq, seq]
    return F.where(first_is_stricter, causal, padding)


def _metric(action: str, dtype: DType, device: Device) -> Tensor:
    """What an action costs: nothing, or all that ``dtype`` can hold."""
    cost = finfo(dtype).min if action == DENY else 0.0
    return Tensor(cost, dtype=dtype, device=device)


def _for_every_port(table: Tensor) -> Tensor:
    """The same table for all heads and all queries."""
    batch, seq = table.shape
    return table.reshape([batch, 1, 1, seq])


def padding_mask(token_ids: Tensor, pad_token_id: int, *, dtype: DType = DType.float32) -> Tensor:
    """Drop the padding, let the rest through."""
    router = token_ids.device
    allow_list = token_ids != pad_token_id  # [batch, seq]
    table = F.where(allow_list, _metric(PERMIT, dtype, router), _metric(DENY, dtype, router))
    return _for_every_port(table)
