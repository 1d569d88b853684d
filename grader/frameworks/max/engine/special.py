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
    """``1 / sqrt(x)``."""
    result: Array = np.reciprocal(np.sqrt(x))
    return result


def relu(x: Array) -> Array:
    """``max(x, 0)``; 0 for NaN, like MAX's kernel."""
    result: Array = np.fmax(x, x.dtype.type(0))
    return result


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``; a very negative x returns 0; the overflow does not matter."""
    result: Array = np.reciprocal(1 + np.exp(-x))
    return result


def silu(x: Array) -> Array:
    """``x * sigmoid(x)``."""
    return x * sigmoid(x)


def gelu(x: Array) -> Array:
    """Gaussian error linear unit, exact: ``x * Phi(x)`` (Hendrycks and Gimpel, 2016)."""
    half = x.dtype.type(0.5)
    result: Array = half * x * (1 + erf(x * x.dtype.type(SQRT_HALF)))
    return result


def gelu_tanh(x: Array) -> Array:
    """The tanh approximation of GELU, the one that GPT-2 uses."""
    inner = np.asarray(0.044715 * x)  # NumPy makes a number of an array without dimensions
    inner *= x
    inner *= x
    inner += x
    inner *= SQRT_TWO_OVER_PI
    result: Array = np.tanh(inner, inner)
    result += 1.0
    result *= 0.5 * x
    return result


def gelu_quick(x: Array) -> Array:
    """The sigmoid approximation of GELU: ``x * sigmoid(1.702 x)``."""
    return x * sigmoid(x * x.dtype.type(1.702))


def erf(x: Array) -> Array:
    """The error function; element by element with the C library's ``erf``."""
    wide = np.asarray(x, np.float64)
    values = np.fromiter(map(math.erf, wide.ravel().tolist()), np.float64, wide.size)
    return values.reshape(wide.shape).astype(x.dtype)
