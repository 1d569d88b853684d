from __future__ import annotations

from collections.abc import Callable

from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor



class LayerNorm(Module):
    """Layer normalization over the last dimension, with Hugging Face's names.

    Attributes:
        eps: Added to the variance, so that nothing is divided by 0.
        weight: Factor of each feature, ``[dim]``. Ones at first.
        bias: Summand of each feature, ``[dim]``. Zeros at first.

    Source: Ba et al. 2016, "Layer Normalization".
    """

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        """Create weight and bias for vectors of ``dim`` numbers."""
        super().__init__()
        self.eps = eps
        self.weight = Tensor.ones([dim])  # [dim]

        self.bias = Tensor.zeros([dim])  # [dim]

    def __call__(self, x: Tensor) -> Tensor:
        """Normalize every vector separately, then scale and shift its features.

        Args:
            x: ``[..., dim]``.

        Returns:
            Tensor ``[..., dim]``: (x - mean) / √(variance + eps) · weight + bias.
        """
        mean = x.mean(axis=-1)  # [..., 1]
        centered = x - mean  # [..., dim]

        variance = (centered * centered).mean(axis=-1)  # [..., 1]

        normalized = centered / F.sqrt(variance + self.eps)  # [..., dim]

        return normalized * self.weight + self.bias  # [..., dim]


def residual(
    x: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]
) -> Tensor:
    """Apply ``sublayer`` to a normalized copy of ``x``, and add ``x``: GPT-2's pre-norm.

    Args:
        x: ``[batch, seq, n_embd]``.
        norm: A layer normalization.
        sublayer: Attention or another layer that keeps the shape.

    Returns:
        Tensor ``[batch, seq, n_embd]``.

    Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners",
    section 2.3; He et al. 2015, "Deep Residual Learning for Image Recognition".
    """
    from functools import reduce

    return x + reduce(lambda value, step: step(value), (norm, sublayer), x)  # [batch, seq, n_embd]
