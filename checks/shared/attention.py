"""Causal masks, scaled dot-product attention and GPT-2's attention layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def softmax(scores: Floats, axis: int = -1) -> Floats:
    """Compute exp(x) / Σ exp(x) along ``axis``; a row of only −inf gives NaN, as in MAX."""
    shifted = np.exp(scores - scores.max(axis=axis, keepdims=True))
    result: Floats = shifted / shifted.sum(axis=axis, keepdims=True)
    return result


def causal_mask(sequence_length: int, num_tokens: int = 0, **knobs: Any) -> Floats:
    """Return 0 where query i may see key j, else −inf: ``[sequence_length, num_tokens + seq]``.

    Knob ``mask``: ``past`` hides the past instead, ``past_and_self`` also the diagonal,
    ``allows_next`` and ``hides_self`` are off by one, ``none`` hides nothing, ``all`` hides
    everything, a number replaces −inf. Knob ``allowed`` is the number for visible positions. Knob
    ``earlier``: ``hidden`` starts the diagonal in column 0, ``ignored`` omits the columns of
    earlier tokens, ``appended`` puts them last, ``turned`` swaps rows and columns.
    """
    kind = knobs.get("mask", "causal")
    earlier = knobs.get("earlier")
    tokens = 0 if earlier == "ignored" else num_tokens
    column = np.arange(sequence_length + tokens)
    after = column - np.arange(sequence_length)[:, None]
    if earlier not in ("hidden", "appended"):
        after -= tokens
    hidden = _hidden(after, kind)
    if earlier == "appended":
        hidden = hidden & (column < sequence_length)
    number = kind if isinstance(kind, float) else -np.inf
    mask = np.where(hidden, number, float(knobs.get("allowed", 0.0)))
    return mask.T if earlier == "turned" else mask


def _hidden(after: npt.NDArray[np.integer], kind: object) -> npt.NDArray[np.bool_]:
    """Return which keys are hidden, given how many tokens ``after`` their query they come."""
    match kind:
        case "none":
            return np.zeros_like(after, dtype=bool)
        case "all":
            return np.ones_like(after, dtype=bool)
        case "past":
            return after < 0
        case "past_and_self":
            return after <= 0
        case "allows_next":
            return after > 1
        case "hides_self":
            return after >= 0
    return after > 0


def split_heads(x: Floats, n_head: int, **knobs: Any) -> Floats:
    """Reshape ``[…, seq, n_head * head_dim]`` → ``[…, n_head, seq, head_dim]``."""
    *batch, seq, width = x.shape
    head_dim = width // n_head
    match knobs.get("split"):
        case "reshape":
            return x.reshape(*batch, n_head, seq, head_dim)
        case "no_transpose":
            return x.reshape(*batch, seq, n_head, head_dim)
        case "head_dim_first":
            return np.moveaxis(x.reshape(*batch, seq, head_dim, n_head), -1, -3)
        case "last_axes":
            return x.reshape(*batch, seq, n_head, head_dim).swapaxes(-1, -2)
        case "reversed":
            return x.reshape(*batch, seq, n_head, head_dim).swapaxes(-2, -3)[..., ::-1, :, :]
    return x.reshape(*batch, seq, n_head, head_dim).swapaxes(-2, -3)


def merge_heads(x: Floats, **knobs: Any) -> Floats:
    """Reshape ``[…, n_head, seq, head_dim]`` → ``[…, seq, n_head * head_dim]``."""
    *batch, n_head, seq, head_dim = x.shape
    match knobs.get("merge"):
        case "reshape":
            return x.reshape(*batch, seq, n_head * head_dim)
        case "head_dim_major":
            return np.moveaxis(x, -3, -1).reshape(*batch, seq, n_head * head_dim)
        case "reversed":
            x = x[..., ::-1, :, :]
        case "last_axes":
            return x.swapaxes(-1, -2).reshape(*batch, seq, n_head * head_dim)
    return x.swapaxes(-2, -3).reshape(*batch, seq, n_head * head_dim)


def attention_scores(query: Floats, key: Floats, n_embd: int | None = None, **knobs: Any) -> Floats:
    """Q·Kᵀ/√head_dim: ``[…, seq, head_dim]`` twice → ``[…, seq, seq]``. Vaswani et al. 2017."""
    head_dim, seq = query.shape[-1], key.shape[-2]
    if knobs.get("product") == "transposed":
        query, key = key, query
    scale = {
        "none": 1.0,
        "head_dim": 1 / head_dim,
        "sqrt_n_embd": (n_embd or head_dim) ** -0.5,
        "n_embd": 1 / (n_embd or head_dim),
        "multiplied": head_dim**0.5,
        "after_softmax": 1.0,
        "sqrt_seq": seq**-0.5,
        "sqrt_n_head": query.shape[-3] ** -0.5 if query.ndim > 2 else 1.0,
        "eight": 1 / 8,
        "squared": head_dim**-2.0,
        "negated": -(head_dim**-0.5),
        "floor": 1 / max(1, int(head_dim**0.5)),
    }.get(knobs.get("scale", ""), head_dim**-0.5)
    return np.asarray(query @ key.swapaxes(-1, -2) * scale)


def attention_weights(
    query: Floats, key: Floats, *, causal: bool = True, n_embd: int | None = None, **knobs: Any
) -> Floats:
    """Compute softmax of the masked scores over the keys: ``[…, seq, seq]``, rows sum to 1."""
    scores = attention_scores(query, key, n_embd, **knobs)
    mask_kind = knobs.get("mask", "causal") if causal else "none"
    seq, keys = scores.shape[-2:]
    mask = causal_mask(seq, keys - seq, mask=mask_kind)
    scores = _masked(scores, mask, mask_kind)
    if knobs.get("filler") == "finite":
        scores = np.where(np.isneginf(scores), -1e9, scores)
    weights = _normalised(scores, **knobs)
    if mask_kind == "after_softmax":
        weights = weights + mask
    elif mask_kind == "zeroed_after_softmax":
        weights = weights * np.isfinite(mask)
    elif mask_kind == "everything_after_softmax":
        weights = softmax(query @ key.swapaxes(-1, -2)) * query.shape[-1] ** -0.5 + mask
    if knobs.get("scale") == "after_softmax":
        weights = weights * query.shape[-1] ** -0.5
    return np.asarray(weights)


def _masked(scores: Floats, mask: Floats, kind: object) -> Floats:
    """Add the mask to the scores, or do what the knob ``mask`` says."""
    seen = np.isfinite(mask)
    match kind:
        case "multiplied":
            return scores * seen
        case "multiplied_inf":
            return scores * mask
        case "ones":
            return scores + seen
        case "subtracted":
            return scores - mask
        case "nan":
            return np.where(seen, np.nan, scores)
        case "after_softmax" | "zeroed_after_softmax" | "everything_after_softmax":
            return scores
    return scores + mask


INSTEAD_OF_SOFTMAX: Mapping[str, Callable[[Floats], Floats]] = {
    "queries": lambda scores: softmax(scores, -2),
    "heads": lambda scores: softmax(scores, -3),
    "batch": lambda scores: softmax(scores, 0),
    "absent": lambda scores: scores,
    "twice": lambda scores: softmax(softmax(scores)),
    "unnormalised": np.exp,
    "sigmoid": lambda scores: 1 / (1 + np.exp(-scores)),
    "log": lambda scores: np.log(softmax(scores)),
    "uniform": lambda scores: np.isfinite(scores) / np.isfinite(scores).sum(-1, keepdims=True),
    "hard": lambda scores: np.eye(scores.shape[-1])[scores.argmax(-1)],
}
"""What the knob ``softmax`` replaces softmax with."""


def _normalised(scores: Floats, **knobs: Any) -> Floats:
    """Compute softmax over the last axis, or what replaces it."""
    function = INSTEAD_OF_SOFTMAX.get(knobs.get("softmax", ""), softmax)
    return np.asarray(function(scores))


def attention(
    query: Floats, key: Floats, value: Floats, *, causal: bool = True, **knobs: Any
) -> Floats:
    """softmax(Q·Kᵀ/√head_dim + mask)·V: ``[…, seq, head_dim]``. Vaswani et al. 2017, eq. 1."""
    weights = attention_weights(query, key, causal=causal, **knobs)
    if knobs.get("mix") == "transposed":
        weights = weights.swapaxes(-1, -2)
    if knobs.get("mix") == "keys":
        return np.asarray(weights @ key)
    if knobs.get("mix") in ("values", "query"):
        return value if knobs["mix"] == "values" else query
    if knobs.get("mix") == "mean":
        return np.asarray(weights @ value / key.shape[-2])
    return np.asarray(weights @ value)


def linear(x: Floats, weight: Floats, bias: Floats | None) -> Floats:
    """Compute x·Wᵀ + b with ``weight`` as ``[out_dim, in_dim]``."""
    product = x @ weight.T
    return np.asarray(product if bias is None else product + bias)


def gpt2_attention(
    x: Floats, weights: Mapping[str, npt.NDArray[np.generic]], n_head: int, **knobs: Any
) -> Floats:
    """Compute GPT-2's attention: ``[batch, seq, n_embd]`` → the same shape. Radford et al. 2019.

    ``weights`` holds ``c_attn.weight`` ``[3 * n_embd, n_embd]``, ``c_attn.bias``,
    ``c_proj.weight`` ``[n_embd, n_embd]`` and ``c_proj.bias``.
    """
    w = {name: array.astype(np.float64, copy=False) for name, array in weights.items()}
    n_embd = x.shape[-1]
    if fixed := _instead(x, **knobs):
        return fixed[0]
    n_head = _heads(n_head, n_embd, **knobs)
    query, key, value = _query_key_value(x, w, n_head, **knobs)
    out = attention(query, key, value, n_embd=n_embd, **knobs)
    merged = merge_heads(out, **knobs)
    if merged.shape[-1] != n_embd:
        raise ValueError("merged width differs from n_embd")
    result = _projected(merged, w, **knobs)
    return result + x if knobs.get("residual") else result


def _instead(x: Floats, **knobs: Any) -> tuple[Floats] | None:
    """Return what some programs compute instead of attention."""
    match knobs.get("output"):
        case "input":
            return (x,)
        case "zeros":
            return (np.zeros_like(x),)
        case "ones":
            return (np.ones_like(x),)
        case "mean":
            return (np.broadcast_to(x.mean(-2, keepdims=True), x.shape),)
    return None


def _heads(n_head: int, n_embd: int, **knobs: Any) -> int:
    count = {"one": 1, "twelve": 12, "head_dim": n_embd // n_head}.get(
        knobs.get("heads", ""), n_head
    )
    if n_embd % count:
        raise ValueError(f"{n_embd} is no multiple of {count}")
    return int(count)


def _query_key_value(
    x: Floats, w: Mapping[str, Floats], n_head: int, **knobs: Any
) -> tuple[Floats, Floats, Floats]:
    """Return query, key and value ``[batch, n_head, seq, head_dim]`` from the fused projection."""
    batch, seq, n_embd = x.shape
    c_attn = _variant(w["c_attn.weight"], w["c_attn.bias"], knobs.get("c_attn"))
    fused = linear(x, *c_attn)
    if knobs.get("packing") == "per_head":
        parts = fused.reshape(batch, seq, n_head, 3, n_embd // n_head)
        blocks = [parts[..., i, :].swapaxes(1, 2) for i in range(3)]
    elif knobs.get("packing") == "interleaved":
        parts = fused.reshape(batch, seq, n_embd, 3)
        blocks = [split_heads(parts[..., i], n_head, **knobs) for i in range(3)]
    else:
        parts = fused.reshape(batch, seq, 3, n_embd)
        blocks = [split_heads(parts[:, :, i], n_head, **knobs) for i in range(3)]
    named = dict(zip("qkv", blocks, strict=True))
    query, key, value = (named[name] for name in knobs.get("order", "qkv"))
    return query, key, value


def _variant(weight: Floats, bias: Floats, knob: str | None) -> tuple[Floats, Floats | None]:
    match knob:
        case "no_bias":
            return weight, None
        case "transposed":
            return weight.T, bias
        case "bias_twice":
            return weight, 2 * bias
    return weight, bias


def _projected(x: Floats, w: Mapping[str, Floats], **knobs: Any) -> Floats:
    """Apply the output projection, or what the knob ``c_proj`` makes of it."""
    knob = knobs.get("c_proj")
    weight, bias = _variant(w["c_proj.weight"], w["c_proj.bias"], knob)
    if knob == "missing":
        return x
    once = linear(x, weight, bias)
    return linear(once, weight, bias) if knob == "twice" else once
