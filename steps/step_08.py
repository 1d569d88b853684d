"""Step 08: layer normalization and the residual connection.

GPT-2 stacks many layers. Two small ideas keep the numbers in range on their way through them.
Layer normalization brings every token's vector to mean 0 and variance 1 before a layer reads it.
The residual connection adds what the layer found to what was there, so that nothing gets lost.

Tasks:
    1. Import functional as F, Module and Tensor.
    2. Create the weight and the bias.
    3. Subtract the mean.
    4. Work out the variance.
    5. Divide by its square root.
    6. Apply weight and bias.
    7. Apply a layer to the normalized vectors, and add the vectors themselves.

Run: ./pixiw run s08
"""

from __future__ import annotations

from collections.abc import Callable

# TODO: Import functional (as F), Module and Tensor.
# Hint: from max.experimental import functional as F
# Hint: Module lives in max.experimental.nn, Tensor in max.experimental.tensor.


class LayerNorm(Module):
    """Layer normalization over the last dimension, with Hugging Face's names.

    Attributes:
        eps: Added to the variance, so that nothing is divided by 0.
        weight: Factor of each feature, ``[dim]``. Ones at first.
        bias: Added to each feature, ``[dim]``. Zeros at first.

    Source: Ba et al. 2016, "Layer Normalization".
    """

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        """Create weight and bias for vectors of ``dim`` numbers."""
        super().__init__()
        self.eps = eps
        # TODO: Create the weight: dim ones.
        # Hint: Tensor.ones takes a shape, and a shape is a list.
        self.weight = None

        # TODO: Create the bias: dim zeros.
        # Hint: Tensor.zeros works like Tensor.ones.
        self.bias = None

    def __call__(self, x: Tensor) -> Tensor:
        """Normalize every vector separately, then scale and shift its features.

        Args:
            x: ``[..., dim]``.

        Returns:
            Tensor ``[..., dim]``: (x - mean) / √(variance + eps) · weight + bias.
        """
        # TODO: Subtract the mean of its features from each vector.
        # Hint: x.mean(axis=-1) keeps the last dimension, with size 1.
        mean = None
        centered = None

        # TODO: Work out the variance: the mean of the squares of what is left.
        # Hint: Divide by dim, not by dim - 1, as a mean does.
        variance = None

        # TODO: Divide by the square root of the variance. Add self.eps before taking the root.
        # Hint: F.sqrt takes a tensor. Tensors have no method for it.
        normalized = None

        # TODO: Multiply by the weight, add the bias, and return the result.
        # Hint: Both have one number for each feature, so they fit x as they are.
        return None


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
    # TODO: Normalize x, pass that to the sublayer, and add x itself to the result.
    # Hint: norm and sublayer are called like functions.
    return None
