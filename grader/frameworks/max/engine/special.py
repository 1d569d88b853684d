"""Functions that NumPy lacks: erf, GELU in three forms, sigmoid, SiLU, ReLU, 1/sqrt.

Each takes and returns an array of one floating dtype; the result has the argument's dtype.
"""

from __future__ import annotations

import math

import numpy as np

from grader.frameworks.max.engine.operation import Array

SQRT_HALF = math.sqrt(0.5)
SQRT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)


def rsqrt(x: Array) -> Array:
    """Compute ``1 / sqrt(x)``."""
    result: Array = np.reciprocal(np.sqrt(x))
    return result


def relu(x: Array) -> Array:
    """Compute ``max(x, 0)``; 0 for NaN, like MAX's kernel."""
    result: Array = np.fmax(x, x.dtype.type(0))
    return result


def sigmoid(x: Array) -> Array:
    """Compute ``1 / (1 + exp(-x))``; 0 for a very negative x, where overflow is harmless."""
    result: Array = np.reciprocal(1 + np.exp(-x))
    return result


def silu(x: Array) -> Array:
    """Compute ``x * sigmoid(x)``."""
    return x * sigmoid(x)


def gelu(x: Array) -> Array:
    """Compute the exact Gaussian error linear unit, ``x * Phi(x)`` (Hendrycks and Gimpel, 2016)."""
    half = x.dtype.type(0.5)
    result: Array = half * x * (1 + erf(x * x.dtype.type(SQRT_HALF)))
    return result


def gelu_tanh(x: Array) -> Array:
    """Compute the tanh approximation of GELU, which GPT-2 uses."""
    inner = np.asarray(0.044715 * x)  # NumPy turns an array without dimensions into a number
    inner *= x
    inner *= x
    inner += x
    inner *= SQRT_TWO_OVER_PI
    result: Array = np.tanh(inner, inner)
    result += 1.0
    result *= 0.5 * x
    return result


def gelu_quick(x: Array) -> Array:
    """Compute the sigmoid approximation of GELU: ``x * sigmoid(1.702 x)``."""
    return x * sigmoid(x * x.dtype.type(1.702))


def erf(x: Array) -> Array:
    """Compute the error function, element by element with the C library's ``erf``."""
    wide = np.asarray(x, np.float64)
    values = np.fromiter(map(math.erf, wide.ravel().tolist()), np.float64, wide.size)
    return values.reshape(wide.shape).astype(x.dtype)
