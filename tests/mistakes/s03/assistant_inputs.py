"""Scaled dot-product attention (Vaswani et al., 2017)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from max.experimental import functional as F
from max.experimental.tensor import Tensor


@dataclass
class AttentionInputs:
    """The three inputs of attention."""

    query: Tensor
    key: Tensor
    value: Tensor

    @property
    def head_dim(self) -> int:
        """Width of query and key."""
        return int(self.query.shape[-1])

    def compute_scores(self) -> Tensor:
        """Compute the scaled scores."""
        key_transposed = self.key.transpose(-2, -1)
        raw_scores = self.query @ key_transposed
        return raw_scores / math.sqrt(self.head_dim)


def apply_mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Apply the additive mask, if there is one."""
    if mask is None:
        return scores
    return scores + mask


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    inputs = AttentionInputs(query, key, value)
    scores = inputs.compute_scores()
    masked_scores = apply_mask(scores, mask)
    attention_weights = F.softmax(masked_scores, axis=-1)
    context = attention_weights @ inputs.value
    return context, attention_weights
