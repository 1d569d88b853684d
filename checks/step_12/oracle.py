"""GPT-2 that continues from cached keys and values, and from there to whole texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from checks.shared.attention import Floats, causal_mask, linear, merge_heads, softmax, split_heads
from checks.shared.block import Weights, mlp, part
from checks.shared.gpt2 import Ids, gpt2_logits
from checks.shared.layer_norm import layer_norm
from checks.step_12.sampling import Model

KeyValue = tuple[Floats, Floats]
Cache = tuple[KeyValue, ...]


def decode(
    ids: Ids, weights: Weights, config: Mapping[str, Any], cache: Cache | None, **knobs: Any
) -> tuple[Floats, Cache]:
    """Logits of new tokens after those in ``cache``, and the cache with them.

    ``ids`` is ``[batch, seq]``, a cache holds ``[batch, n_head, past, head_dim]`` twice for every
    layer. Without a cache this is :func:`checks.shared.gpt2.gpt2_logits`. Knob ``decode``: ways
    to be wrong about the cache or the block.
    """
    w = part(weights, "transformer.")
    eps = config.get("layer_norm_epsilon", 1e-5)
    kind = knobs.get("decode")
    past = 0 if cache is None else cache[0][0].shape[-2]
    start = _start(past, cache, kind)
    x = w["wte.weight"][ids]
    if kind != "no_positions":
        x = x + w["wpe.weight"][start + np.arange(ids.shape[-1])]
    if knobs.get("ln_f") == "first":
        x = layer_norm(x, w["ln_f.weight"], w["ln_f.bias"], eps)
    grown = []
    for index in range(config["n_layer"]):
        layer = part(w, f"h.{index}.")
        before = None if cache is None else cache[0 if kind == "first_layer" else index]
        normal = layer_norm(x, layer["ln_1.weight"], layer["ln_1.bias"], eps)
        attended, key_value = _attend(
            x if kind == "no_ln_1" else normal, part(layer, "attn."), config["n_head"], before, kind
        )
        x = attended if kind == "no_residual" else x + attended
        x = x + attended if kind == "residual_twice" else x
        norm = "ln_1" if kind == "ln_1_twice" else "ln_2"
        normal = layer_norm(x, layer[f"{norm}.weight"], layer[f"{norm}.bias"], eps)
        found = mlp(x if kind == "no_ln_2" else normal, part(layer, "mlp."))
        x = {"no_mlp": x, "mlp_replaces": found}.get(kind or "", x + found)
        grown.append(key_value)
    for _ in range({"missing": 0, "first": 0, "twice": 2}.get(knobs.get("ln_f", ""), 1)):
        x = layer_norm(x, w["ln_f.weight"], w["ln_f.bias"], eps)
    return np.asarray(x @ w["wte.weight"].T), tuple(grown)


def _start(past: int, cache: Cache | None, kind: str | None) -> int:
    """The position of the first new token, or what the knob ``decode`` makes of it."""
    if cache is None:
        return past
    keys = cache[0][0].shape
    axes = {f"past_axis_{axis}": keys[axis] for axis in (0, 1, -1)}
    others = {
        "restart": 0,
        "one_late": past + 1,
        "one_early": past - 1,
        "past_layers": len(cache),
        "past_pair": 2,
    }
    return int({**axes, **others}.get(kind or "", past))


def _attend(
    x: Floats, w: Mapping[str, Floats], n_head: int, before: KeyValue | None, kind: str | None
) -> tuple[Floats, KeyValue]:
    """Attention of new tokens, which also see the cached ones."""
    fused = linear(x, w["c_attn.weight"], w["c_attn.bias"])
    parts = dict(zip("qkv", np.split(fused, 3, axis=-1), strict=True))
    order = (kind or "").removeprefix("order_") if kind in ORDERS else "qkv"
    query, key, value = (split_heads(parts[name], n_head) for name in order)
    new = key, value
    if before is not None and kind != "ignored":
        key, value = _joined(new, before, kind)
    seq, total = query.shape[-2], key.shape[-2]
    scores = query @ key.swapaxes(-1, -2)
    if kind != "no_scale":
        scores = scores * query.shape[-1] ** -0.5
    unmasked = kind == "no_mask" or (kind == "mask_at_start" and before is not None)
    if not unmasked:
        scores = scores + causal_mask(seq, total - seq)
    context = softmax(scores) @ value
    merged = context.reshape(x.shape) if kind == "merge_flat" else merge_heads(context)
    if kind != "no_c_proj":
        merged = linear(merged, w["c_proj.weight"], w["c_proj.bias"])
    grown = {"new_only": new, "returns_exchanged": (value, key), "returns_keys": (key, key)}
    return merged, grown.get(kind or "", (key, value))


ORDERS = ("order_kqv", "order_qvk", "order_vkq")


def _joined(new: KeyValue, before: KeyValue, kind: str | None) -> KeyValue:
    """Cached and new keys and values, or what the knob ``decode`` makes of it."""
    old = {
        "exchanged": before[::-1],
        "value_for_key": (before[1], before[1]),
        "key_for_value": (before[0], before[0]),
    }.get(kind or "", before)
    turned = {"new_first": (0, 1), "keys_new_first": (0,), "values_new_first": (1,)}
    key, value = (
        np.concatenate(
            (new[at], old[at]) if at in turned.get(kind or "", ()) else (old[at], new[at]), axis=-2
        )
        for at in (0, 1)
    )
    return key, value


def writer(
    weights: Weights, config: Mapping[str, Any], prompt: int, use_cache: bool, **knobs: Any
) -> Model:
    """A model for :func:`checks.step_12.sampling.generate` on a prompt of ``prompt`` tokens.

    With ``use_cache`` it reads each token once, by :func:`decode`.
    """
    kept: dict[int, Cache] = {}

    def whole(text: Sequence[int]) -> Floats:
        reads = knobs.get("reads")
        last = reads == "last_only" or (reads == "last_new" and len(text) > prompt)
        ids = np.asarray([text[-1:] if last else text])
        return gpt2_logits(ids, weights, config)  # the model of step 11 is right

    def cached(text: Sequence[int]) -> Floats:
        read = len(text) - 1 if len(text) > prompt else 0
        again = knobs.get("reads") == "whole"
        ids = np.asarray([list(text)[0 if again else read :]])
        if read and knobs.get("reads") == "first":
            ids = np.asarray([text[:1]])
        logits, kept[len(text)] = decode(ids, weights, config, kept.get(read), **knobs)
        return logits

    def model(text: Sequence[int]) -> Floats:
        logits = (cached if use_cache else whole)(text)[0]
        before_last = -2 if len(logits) > 1 else -1
        places = {"first": 0, "before_last": before_last}
        return np.asarray(logits[places.get(knobs.get("position", ""), -1)])

    return model
