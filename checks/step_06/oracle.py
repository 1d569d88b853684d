"""Rotary position embedding and the attention layer that uses it: step 06."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats, attention, merge_heads, split_heads

Ints = npt.NDArray[np.integer[Any]]


def frequencies(d_k: int, theta: float, /, **knobs: Any) -> Floats:
    """θ^(−2i/d_k) for i = 0 … d_k/2 − 1: ``[d_k / 2]``. Su et al. 2021, section 3.2.2."""
    pair = np.arange(0, d_k, 2, dtype=np.float64)
    theta = 10_000.0 if knobs.get("theta") == "fixed" else theta
    exponent = {
        "single": pair / 2 / d_k,
        "double": 2 * pair / d_k,
        "positive": -pair / d_k,
        "from_one": (pair + 2) / d_k,
        "odd": (pair + 1) / d_k,
        "none": np.zeros_like(pair),
        "half_range": pair / max(d_k - 2, 1),
    }.get(knobs.get("exponent", ""), pair / d_k)
    found = theta**-exponent
    return np.asarray(found[::-1] if knobs.get("exponent") == "reversed" else found)


def rotate(x: Floats, positions: Ints, theta: float, /, **knobs: Any) -> Floats:
    """Each pair of features turned by its position's angle: ``[…, seq, d_k]`` → the same.

    ``positions`` ``[…, seq]`` broadcasts to the leading dimensions of ``x``.
    """
    place = _positions(positions, x.shape[-2], **knobs)
    angle = place[..., None] * frequencies(x.shape[-1], theta, **knobs)
    cos, sin = np.cos(angle), np.sin(angle)
    if knobs.get("turn") == "backwards":
        sin = -sin
    elif knobs.get("turn") == "exchanged":
        cos, sin = sin, cos
    half = x.shape[-1] // 2
    pairs = knobs.get("pairs")
    first, second = (
        (x[..., :half], x[..., half:]) if pairs == "halves" else (x[..., 0::2], x[..., 1::2])
    )
    if pairs == "even_twice":
        second = first
    turned = _turned(first, second, cos, sin, knobs.get("formula"))
    if pairs in ("halves", "written_as_halves"):
        return np.concatenate(turned, axis=-1)
    if pairs == "written_exchanged":
        turned = turned[1], turned[0]
    axis = 0 if pairs == "stacked_first" else -1
    return np.stack(turned, axis=axis).reshape(x.shape)


def _positions(positions: Ints, seq: int, /, **knobs: Any) -> Floats:
    """The positions as numbers, or what the knob ``positions`` puts in their place."""
    place = positions.astype(np.float64)
    match knobs.get("positions"):
        case "from_one":
            return place + 1
        case "ignored":
            return np.arange(seq, dtype=np.float64)
        case "none":
            return np.zeros_like(place)
        case "first_row":
            return np.asarray(place.reshape(-1, seq)[0])
    return place


def _turned(
    first: Floats, second: Floats, cos: Floats, sin: Floats, formula: str | None
) -> tuple[Floats, Floats]:
    """Both coordinates of the points, turned, or what ``formula`` makes of them."""
    ahead = first * cos - second * sin, first * sin + second * cos
    match formula:
        case "second_exchanged":
            return ahead[0], first * cos + second * sin
        case "first_exchanged":
            return first * sin - second * cos, ahead[1]
        case "first_twice":
            return ahead[0], ahead[0]
        case "odd_unchanged":
            return ahead[0], second
    return _mistaken(first, second, cos, sin, formula) or ahead


def _mistaken(
    first: Floats, second: Floats, cos: Floats, sin: Floats, formula: str | None
) -> tuple[Floats, Floats] | None:
    """What ``formula`` makes of both coordinates; None if it is not one that changes both."""
    match formula:
        case "both_plus":
            return first * cos + second * sin, first * sin + second * cos
        case "both_minus":
            return first * cos - second * sin, first * sin - second * cos
        case "cos_only":
            return first * cos, second * cos
        case "unmixed":
            return first * cos, second * sin
        case "added":
            return first + cos, second + sin
        case "overwritten":
            # The first coordinate is replaced before the second is worked out from it.
            new = first * cos - second * sin
            return new, new * sin + second * cos
    return None


def attention_rope(
    weights: Mapping[str, npt.NDArray[np.generic]],
    x: Floats,
    positions: Ints,
    n_head: int,
    theta: float,
    /,
    **knobs: Any,
) -> Floats:
    """Causal self-attention with rotated query and key: ``[…, seq, d_model]`` → the same.

    ``weights`` holds ``q``, ``k``, ``v`` and ``o``, each ``[d_model, d_model]`` as
    ``[out, in]``. ``positions`` is ``[seq]`` or ``[…, seq]``.
    """
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    as_it_is = {"untransposed": "qkvo"}.get(knobs.get("weight", ""), knobs.get("weight", ""))
    w = {name: array.T if name in as_it_is else array for name, array in w.items()}
    n_head = 1 if knobs.get("heads") == "one" else n_head
    used = dict(zip("qkv", knobs.get("projected", "qkv"), strict=True))
    made = {name: x @ w[used[name]].T for name in "qkv"}
    if knobs.get("places") == "ignored":
        positions = np.arange(x.shape[-2])
    early = knobs.get("rotated") == "before_split"
    if early:
        made.update({name: rotate(made[name], positions, theta, **knobs) for name in "qk"})
    parts = {name: split_heads(array, n_head, **knobs) for name, array in made.items()}
    for name in _rotated(knobs.get("rotated")):
        parts[name] = rotate(parts[name], positions[..., None, :], theta, **knobs)
    if knobs.get("rotated") == "key_from_query":
        parts["k"] = rotate(parts["q"], positions[..., None, :], theta, **knobs)
    query, key, value = (parts[name] for name in knobs.get("order", "qkv"))
    out = merge_heads(attention(query, key, value, n_embd=x.shape[-1], **knobs), **knobs)
    if out.shape[-1] != x.shape[-1]:
        raise ValueError("merged width differs from d_model")
    if knobs.get("o_proj") == "missing":
        return out
    return np.asarray(out @ (w["o"] if knobs.get("o_proj") == "untransposed" else w["o"].T))


def _rotated(knob: str | None) -> str:
    """Which of query, key and value are rotated as heads."""
    return {
        "query": "q",
        "key": "k",
        "none": "",
        "before_split": "",
        "value_too": "qkv",
        "key_value": "kv",
        "query_value": "qv",
    }.get(knob or "", "qk")
