"""Scaled dot-product attention with a mask as an argument: step 03."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checks.shared.attention import Floats, _normalised, attention_scores, causal_mask


def scaled_dot_product_attention(
    query: Floats, key: Floats, value: Floats, mask: Floats | None = None, **knobs: Any
) -> tuple[Floats, Floats]:
    """softmax(Q·Kᵀ/√head_dim + mask)·V and the weights. Vaswani et al. 2017, equation 1.

    ``[…, query_len, head_dim]``, ``[…, key_len, head_dim]``, ``[…, key_len, value_dim]`` give
    ``[…, query_len, value_dim]`` and ``[…, query_len, key_len]``.

    Knobs beyond those of attention's scores and softmax: ``scale`` also knows the widths and
    lengths that can be confused here; ``given`` is what becomes of the mask; ``mixes`` is what
    replaces the value; ``weights`` is which weights are returned; ``exchanged``
    returns the two the other way round.
    """
    raw = _scaled(query, key, value, **knobs)
    scores = _masked(raw, mask, **knobs)
    weights = _normalised(scores, **knobs)
    if mask is not None and knobs.get("given") == "after_softmax":
        weights = weights + mask
    elif mask is not None and knobs.get("given") == "zeroed_after_softmax":
        weights = weights * (mask == 0)
    if knobs.get("scale") == "after_softmax":
        weights = weights * query.shape[-1] ** -0.5
    mixed = {"key": key, "query": query}.get(knobs.get("mixes", ""), value)
    used = weights.swapaxes(-1, -2) if knobs.get("mix") == "transposed" else weights
    output = np.asarray(used @ mixed)
    returned = {"scores": scores, "raw_scores": raw, "unmasked": _normalised(raw)}.get(
        knobs.get("weights", ""), weights
    )
    returned = np.asarray(returned)
    return (returned, output) if knobs.get("exchanged") else (output, returned)


def _scaled(query: Floats, key: Floats, value: Floats, **knobs: Any) -> Floats:
    """The scores, divided by √head_dim or by what was taken for it."""
    confused = {
        "value_dim": value.shape[-1] ** -0.5,
        "query_len": query.shape[-2] ** -0.5,
        "first_axis": query.shape[0] ** -0.5,
    }
    factor = confused.get(knobs.get("scale", ""))
    if factor is None:
        return attention_scores(query, key, **knobs)
    return np.asarray(attention_scores(query, key, **{**knobs, "scale": "none"}) * factor)


def _masked(scores: Floats, mask: Floats | None, **knobs: Any) -> Floats:
    """The scores with the mask added, or what the knob ``given`` makes of it."""
    given = knobs.get("given")
    if given in ("causal", "causal_too"):
        queries, keys = scores.shape[-2:]
        scores = scores + causal_mask(queries, max(keys - queries, 0))[:, :keys]
    if mask is None or given in ("ignored", "causal", "after_softmax", "zeroed_after_softmax"):
        return scores
    changed: dict[str, Callable[[], Floats]] = {
        "multiplied": lambda: scores * mask,
        "subtracted": lambda: scores - mask,
        "inverted": lambda: np.where(mask == 0, -np.inf, scores),
        "zero": lambda: np.where(np.isinf(mask), 0.0, scores + mask),
    }
    return changed.get(given or "", lambda: scores + mask)()
