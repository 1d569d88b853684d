"""Multi-head attention with masks, position bias, rotation, zero attention and a KV cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats, linear, merge_heads, softmax, split_heads
from checks.step_06.oracle import rotate

THETA = 10000.0
MAX_POSITIONS = 2048


@dataclass(frozen=True)
class Layer:
    """One ``MultiHeadAttention``: its weights and its options.

    ``weights`` holds ``qkv_proj.weight`` ``[3 * hidden, hidden]`` and ``out_proj.weight``
    ``[hidden, hidden]``, and their biases where the layer has them.
    """

    weights: Mapping[str, npt.NDArray[np.generic]]
    num_heads: int
    scale: float | None = None
    zero: bool = False
    rotary: bool = False
    dropout: float = 0.1

    def project(self, name: str, x: Floats, *, bias: bool = True) -> Floats:
        """``x`` through ``qkv_proj`` or ``out_proj``, with its bias where it has one."""
        weight = self.weights[f"{name}.weight"].astype(np.float64)
        summand = self.weights.get(f"{name}.bias") if bias else None
        return linear(x, weight, None if summand is None else summand.astype(np.float64))


KeyValue = tuple[Floats, Floats]


def multi_head_attention(
    layer: Layer,
    x: Floats,
    *,
    attention_mask: Floats | None = None,
    position_bias: Floats | None = None,
    past: KeyValue | None = None,
    **knobs: Any,
) -> tuple[Floats, KeyValue]:
    """Output ``[batch, seq, hidden]``, and keys and values of all tokens.

    Keys and values are ``[batch, num_heads, past + seq, head_dim]``. Vaswani et al. 2017,
    section 3.2; Su et al. 2021 for the rotation.
    """
    query, key, value = _projected(layer, x, past, **knobs)
    key, value = _joined(key, value, past, **knobs)
    if layer.rotary and knobs.get("rotary") == "joined_again":
        key = rotate(key, np.arange(key.shape[-2]), THETA)
    output = _attended(layer, query, key, value, attention_mask, position_bias, **knobs)
    return output, _returned(query, key, value, **knobs)


def last_outputs(layer: Layer, x: Floats, last: int, **knobs: Any) -> Floats:
    """The outputs of the last tokens of a text from its beginning: cheap for a long one."""
    query, key, value = _projected(layer, x, None, **knobs)
    if layer.rotary and knobs.get("rotary") == "joined_again":
        key = rotate(key, np.arange(key.shape[-2]), THETA)
    if "softmax" not in knobs:  # over the queries it needs them all
        query = query[..., -last:, :]
    return _attended(layer, query, key, value, None, None, **knobs)[..., -last:, :]


def _attended(
    layer: Layer,
    query: Floats,
    key: Floats,
    value: Floats,
    mask: Floats | None,
    bias: Floats | None,
    /,
    **knobs: Any,
) -> Floats:
    """The output, from queries and from all keys and values."""
    context = merge_heads(_weights(layer, query, key, mask, bias, **knobs) @ value, **knobs)
    if knobs.get("out_proj") == "missing":
        return context
    output = layer.project("out_proj", context, bias=knobs.get("out_proj") != "no_bias")
    return output * (1 - layer.dropout) if knobs.get("dropout") == "output" else output


def cached(layer: Layer, x: Floats, **knobs: Any) -> KeyValue:
    """Keys and values of a text from its beginning, without attention: cheap for a long one."""
    query, key, value = _projected(layer, x, None, **knobs)
    return _returned(query, key, value, **knobs)


def _projected(
    layer: Layer, x: Floats, past: KeyValue | None, /, **knobs: Any
) -> tuple[Floats, Floats, Floats]:
    """Query, key and value of the new tokens, turned by their positions where the layer does so."""
    parts = _query_key_value(layer, x, **knobs)
    turned = layer.rotary != (knobs.get("rotary") == "unless")
    return _rotated(*parts, _length(past), **knobs) if turned else parts


def _length(past: KeyValue | None) -> int:
    return 0 if past is None else past[0].shape[-2]


def _query_key_value(layer: Layer, x: Floats, **knobs: Any) -> tuple[Floats, Floats, Floats]:
    """Query, key and value of the new tokens, ``[batch, num_heads, seq, head_dim]``."""
    fused = layer.project("qkv_proj", x)
    heads = 1 if knobs.get("heads") == "one" else layer.num_heads
    if knobs.get("packing") == "per_head":
        parts = fused.reshape(*x.shape[:-1], heads, 3, -1)
        blocks = [parts[..., i, :].swapaxes(-2, -3) for i in range(3)]
    elif knobs.get("packing") == "interleaved":
        thirds = fused.reshape(*x.shape, 3)
        blocks = [split_heads(thirds[..., i], heads, **knobs) for i in range(3)]
    else:
        blocks = [split_heads(part, heads, **knobs) for part in np.split(fused, 3, axis=-1)]
    named = dict(zip("qkv", blocks, strict=True))
    query, key, value = (named[name] for name in knobs.get("order", "qkv"))
    return query, key, value


def _rotated(
    query: Floats, key: Floats, value: Floats, past: int, **knobs: Any
) -> tuple[Floats, Floats, Floats]:
    """Query and key turned by their positions, or what the knob ``rotary`` makes of it."""
    seq = query.shape[-2]
    start = {
        "restart": 0,
        "from_one": past + 1,
        "past_less_one": max(past - 1, 0),
        "past_one_more": past + 1,
        "past_pair": 2,
        **{f"past_axis_{axis}": query.shape[axis] for axis in (0, 1, -1)},
    }.get(knobs.get("rotary", "") if past else "", past)
    places = np.arange(start, start + seq)
    kind = knobs.get("rotary")
    if kind == "always_less_one":  # -1 is the last row of the table
        places = np.arange(past - 1, past - 1 + seq) % MAX_POSITIONS
    if kind == "all_at_past":
        places = np.full(seq, past)
    if kind == "ignored":
        return query, key, value
    theta = float(MAX_POSITIONS) if kind == "theta_swapped" else THETA
    if kind == "key_is_query":
        key = query
    if kind == "query_is_key":
        query = key
    if kind != "key_only":
        query = rotate(query, places, theta)
    if kind == "key_is_rotated_query":
        key = query
    if kind not in ("query_only", "joined_again"):
        key = rotate(key, places, theta)
    if kind == "value_too":
        value = rotate(value, places, THETA)
    return query, key, value


def _joined(
    key: Floats, value: Floats, past: KeyValue | None, **knobs: Any
) -> tuple[Floats, Floats]:
    """Cached and new keys and values, or what the knob ``cache`` makes of it."""
    if past is None or knobs.get("cache") == "ignored":
        return key, value
    old_key, old_value = past
    if knobs.get("cache") == "replaced":
        return past
    if knobs.get("cache") == "elsewhere":
        raise ValueError("no shape fits after joining along another axis")
    keys, values = {
        "new_first": ([key, old_key], [value, old_value]),
        "keys_only_old": ([old_key, key], [value, old_value]),
        "exchanged": ([old_value, key], [old_key, value]),
        "value_for_key": ([old_value, key], [old_value, value]),
        "key_for_value": ([old_key, key], [old_key, value]),
    }.get(knobs.get("cache", ""), ([old_key, key], [old_value, value]))
    return np.concatenate(keys, -2), np.concatenate(values, -2)


def _returned(query: Floats, key: Floats, value: Floats, **knobs: Any) -> KeyValue:
    """What is handed back as cache."""
    match knobs.get("returned"):
        case "new_only":
            seq = query.shape[-2]
            return key[..., -seq:, :], value[..., -seq:, :]
        case "query":
            return query, value
        case "exchanged":
            return value, key
        case "keys_twice":
            return key, key
        case "seq_first":
            return key.swapaxes(-2, -3), value.swapaxes(-2, -3)
    return key, value


def _weights(
    layer: Layer,
    query: Floats,
    key: Floats,
    mask: Floats | None,
    bias: Floats | None,
    /,
    **knobs: Any,
) -> Floats:
    """The attention weights over the real keys."""
    scores = _scores(layer, query, key, bias, **knobs)
    scores = _masked(scores, mask, bias, **knobs)
    weights = _softmax_with_zero(scores, layer.zero, **knobs)
    after = knobs.get("mask"), knobs.get("bias")
    if mask is not None and after[0] == "after_softmax":
        weights = weights + mask
    if mask is not None and after[0] == "zeroed_after_softmax":
        weights = np.where(np.isfinite(mask), weights, 0.0)
    if bias is not None and after[1] == "after_softmax":
        weights = weights + bias
    return weights * (1 - layer.dropout) if knobs.get("dropout") == "weights" else weights


def _scores(
    layer: Layer, query: Floats, key: Floats, bias: Floats | None, /, **knobs: Any
) -> Floats:
    """Q·Kᵀ times the scale."""
    usual = query.shape[-1] ** -0.5
    given = layer.scale
    scale = {
        "or": given or usual,
        "ignored": usual,
        "divided": usual if given is None else (1 / given if given else np.inf),
        "both": usual * (1.0 if given is None else given),
        "none": 1.0 if given is None else given,
        "head_dim": 1 / query.shape[-1] if given is None else given,
        "twice": (usual if given is None else given) ** 2,
        "multiplied": query.shape[-1] ** 0.5 if given is None else given,
        "negative": -(query.shape[-1] ** 0.5) if given is None else given,
        "n_embd": (query.shape[-1] * query.shape[-3]) ** -0.5 if given is None else given,
    }.get(knobs.get("scale", ""), usual if given is None else given)
    product = query @ key.swapaxes(-1, -2)
    if bias is not None and knobs.get("bias") == "before_scale":
        return np.asarray((product + bias) * scale)
    return np.asarray(product + scale if knobs.get("scale") == "added" else product * scale)


def _masked(scores: Floats, mask: Floats | None, bias: Floats | None, /, **knobs: Any) -> Floats:
    """The scores with position bias and mask."""
    if bias is not None and mask is not None and knobs.get("mask") == "without_bias":
        return scores + bias
    if bias is not None and knobs.get("bias") == "multiplied":
        scores = scores * bias
    elif bias is not None:
        scores = {
            "ignored": scores,
            "before_scale": scores,
            "after_softmax": scores,
            "subtracted": scores - bias,
            "twice": scores + 2 * bias,
            "twice_with_mask": scores + (1 if mask is None else 2) * bias,
        }.get(knobs.get("bias", ""), scores + bias)
    if mask is not None:
        seen = np.isfinite(mask)
        if bias is None and knobs.get("mask") == "with_bias":
            return scores
        if knobs.get("mask") == "multiplied":  # 0 · inf is no number
            return scores * mask
        scores = {
            "ignored": scores,
            "after_softmax": scores,
            "zeroed_after_softmax": scores,
            "zero": np.where(seen, scores, 0.0),
            "subtracted": scores - mask,
        }.get(knobs.get("mask", ""), scores + mask)
    if knobs.get("mask") == "own_causal":
        seq, total = scores.shape[-2:]
        hidden = np.triu(np.ones((seq, total)), k=total - seq + 1) > 0
        scores = np.where(hidden, -np.inf, scores)
    return scores


def _softmax_with_zero(scores: Floats, zero: bool, /, **knobs: Any) -> Floats:
    """Softmax over the keys, with one more key whose score is 0 where ``zero`` says so."""
    kind = knobs.get("zero")
    if knobs.get("softmax") == "queries" or (knobs.get("softmax") == "plain_queries" and not zero):
        return softmax(scores, -2)
    if (kind == "always" or zero) and kind != "ignored":
        column = np.full((*scores.shape[:-1], 1), 1.0 if kind == "one" else 0.0)
        joined = [column, scores] if kind == "in_front" else [scores, column]
        weights = softmax(np.concatenate(joined, -1))
        return weights[..., 1:] if kind == "first_dropped" else weights[..., :-1]
    return softmax(scores)
