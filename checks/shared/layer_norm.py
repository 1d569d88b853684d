"""Layer normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from checks.shared.attention import Floats


def layer_norm(
    x: Floats, weight: Floats, bias: Floats, eps: float = 1e-5, /, **knobs: Any
) -> Floats:
    """(x − mean) / √(variance + ε) · weight + bias over the last axis. Ba et al. 2016."""
    axis = _axis(x, knobs.get("axis"))
    eps = 1e-5 if knobs.get("eps") == "fixed" else eps
    mean = x.mean(axis=axis, keepdims=True)
    normal = (x if knobs.get("mean") == "kept" else x - mean) / _spread(x, mean, eps, axis, **knobs)
    if knobs.get("divided") == "multiplied":
        normal = (x - mean) * _spread(x, mean, eps, axis, **knobs)
    elif knobs.get("divided") == "no":
        normal = x - mean
    return _affine(normal, weight, bias, knobs.get("affine"))


def _axis(x: Floats, knob: str | None) -> int | tuple[int, ...]:
    """The axis over which mean and variance run."""
    if x.ndim == 1 and knob is not None:
        raise ValueError("a single vector has no other axis")
    everything = tuple(range(x.ndim))
    axis: int | tuple[int, ...] = {
        "tokens": -2,
        "batch": 0,
        "all": everything,
        "text": everything[1:],
    }.get(knob or "", -1)  # type: ignore[assignment]
    return axis


def _spread(
    x: Floats, mean: Floats, eps: float, axis: int | tuple[int, ...], /, **knobs: Any
) -> Floats:
    """√(variance + ε), or what the knobs ``variance``, ``eps`` and ``root`` make of it."""
    centered = x if knobs.get("variance") == "uncentered" else x - mean
    total = (centered**2).sum(axis=axis, keepdims=True)
    count = x.size // total.size
    variance = {
        "unbiased": total / (count - 1) if count > 1 else total * np.nan,
        "sum": total,
        "absolute": np.abs(centered).mean(axis=axis, keepdims=True) ** 2,
    }.get(knobs.get("variance", ""), total / count)
    match knobs.get("eps"):
        case "outside":
            return np.asarray(np.sqrt(variance) + eps)
        case "none":
            return np.asarray(np.sqrt(variance))
        case "squared":
            return np.asarray(np.sqrt(variance + eps**2))
        case "subtracted":
            return np.asarray(np.sqrt(variance - eps))
    if knobs.get("root") == "missing":
        return np.asarray(variance + eps)
    return np.asarray(np.sqrt(variance + eps))


def _affine(normal: Floats, weight: Floats, bias: Floats, knob: str | None) -> Floats:
    """The result of normal · weight + bias, or what ``knob`` makes of it."""
    match knob:
        case "none":
            return normal
        case "no_weight":
            return normal + bias
        case "no_bias":
            return normal * weight
        case "exchanged":
            return normal * bias + weight
        case "bias_first":
            return (normal + bias) * weight
        case "weight_added":
            return normal + weight + bias
        case "bias_subtracted":
            return normal * weight - bias
        case "one_plus":
            return normal * (1 + weight) + bias
        case "divided":
            return normal / weight + bias
    return normal * weight + bias
