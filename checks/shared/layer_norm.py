"""Layer normalization."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from checks.shared.attention import Floats


def layer_norm(
    x: Floats, weight: Floats, bias: Floats, eps: float = 1e-5, /, **knobs: Any
) -> Floats:
    """Compute (x − mean) / √(variance + ε) · weight + bias over the last axis. Ba et al. 2016."""
    axis = _axis(x, knobs.get("axis"))
    eps = 1e-5 if knobs.get("eps") == "fixed" else eps
    total = x.sum(axis=axis, keepdims=True)  # faster than x.mean, with the same result
    count = x.size // total.size
    mean = total / count
    changed = MEANS.get(knobs.get("mean", ""))
    mean = changed(mean, count) if changed else mean
    normal = (x if knobs.get("mean") == "kept" else x - mean) / _spread(x, mean, eps, axis, **knobs)
    if knobs.get("divided") == "multiplied":
        normal = (x - mean) * _spread(x, mean, eps, axis, **knobs)
    elif knobs.get("mean") == "negated":
        normal = -normal
    elif knobs.get("divided") == "no":
        normal = x if knobs.get("mean") == "kept" else x - mean
    if knobs.get("eps") == "after_division":
        normal = (x - mean) / _spread(x, mean, 0.0, axis, **knobs) + eps
    return _affine(normal, weight, bias, knobs.get("affine"))


MEANS: Mapping[str, Callable[[Floats, int], Floats]] = {
    "sum": lambda mean, count: mean * count,
    "added": lambda mean, count: -mean,
}
"""What the knob ``mean`` subtracts instead of the mean, given the number of features."""


def _axis(x: Floats, knob: str | None) -> int | tuple[int, ...]:
    """Return the axis over which mean and variance are computed."""
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
    """Compute √(variance + ε), or what the knobs ``variance``, ``eps`` and ``root`` make of it."""
    centered = x if knobs.get("variance") == "uncentered" else x - mean
    total = (centered**2).sum(axis=axis, keepdims=True)
    count = x.size // total.size
    variance = total / count
    if "variance" in knobs:
        variance = _variance(centered, mean, total, axis, knobs["variance"])
    match knobs.get("eps"):
        case "outside":
            return np.asarray(np.sqrt(variance) + eps)
        case "none":
            return np.asarray(np.sqrt(variance))
        case "squared":
            return np.asarray(np.sqrt(variance + eps**2))
        case "subtracted":
            return np.asarray(np.sqrt(variance - eps))
        case "multiplied":
            return np.asarray(np.sqrt(variance * eps))
    if knobs.get("root") == "missing":
        return np.asarray(variance + eps)
    if knobs.get("root") == "twice":
        return np.asarray((variance + eps) ** 0.25)
    return np.asarray(np.sqrt(variance + eps))


def _variance(
    centered: Floats, mean: Floats, total: Floats, axis: int | tuple[int, ...], knob: str
) -> Floats:
    """Return what the knob ``variance`` makes of the sum of squares ``total``."""
    count = centered.size // total.size
    others: Mapping[str, Floats] = {
        "unbiased": total / (count - 1) if count > 1 else total * np.nan,
        "sum": total,
        "absolute": np.abs(centered).mean(axis=axis, keepdims=True) ** 2,
        "of_mean": mean**2,
        "doubled": 2 * total / count,
        "halved": total / count / 2,
    }
    return others.get(knob, total / count)


AFFINE: Mapping[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "none": lambda normal, weight, bias: normal,
    "no_weight": lambda normal, weight, bias: normal + bias,
    "no_bias": lambda normal, weight, bias: normal * weight,
    "exchanged": lambda normal, weight, bias: normal * bias + weight,
    "bias_first": lambda normal, weight, bias: (normal + bias) * weight,
    "weight_added": lambda normal, weight, bias: normal + weight + bias,
    "bias_subtracted": lambda normal, weight, bias: normal * weight - bias,
    "one_plus": lambda normal, weight, bias: normal * (1 + weight) + bias,
    "divided": lambda normal, weight, bias: normal / weight + bias,
    "weight_twice": lambda normal, weight, bias: normal * weight * weight + bias,
    "bias_twice": lambda normal, weight, bias: normal * weight + 2 * bias,
}
"""What the knob ``affine`` makes of normal · weight + bias."""


def _affine(normal: Floats, weight: Floats, bias: Floats, knob: str | None) -> Floats:
    """Compute normal · weight + bias, or what ``knob`` makes of it."""
    made = AFFINE.get(knob or "")
    return normal * weight + bias if made is None else made(normal, weight, bias)
