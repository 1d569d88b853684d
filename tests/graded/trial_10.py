"""Whether a file is right as an answer to step 10: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tests.graded import gpt2_formulas as formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"bias": False, "dropout": 0.0},
    {"attention_scale": 0.7, "dropout": 0.6},
    {"attention_scale": 0.0},
    {"attention_scale": -0.4},
    {"attention_scale": 1.0},
    {"attention_scale": 2},
    {"attention_scale": 7.5},
    {"add_zero_attn": True},
    {"use_rotary": True},
    {"use_rotary": True, "add_zero_attn": True, "attention_scale": 0.9},
)


def trial(module: types.ModuleType) -> Iterator[float]:
    random = tools.generator(101)
    for options in OPTIONS:
        heads, dim, batch, seq = 3, 4, 2, 6
        width = heads * dim
        layer, weights = _drawn(module, random, heads, dim, options)
        tools.loaded(module.MultiHeadAttention, tools.turned(weights), width, heads, **options)
        x = random.normal(0, 1, (batch, seq, width)).astype(np.float32)
        bias = random.normal(0, 1, (batch, heads, seq, seq)).astype(np.float32)
        bias += np.where(np.arange(seq) % 2, 55, -55).astype(np.float32)[:, None]
        hidden = np.where(random.random((batch, 1, 1, seq)) < 0.4, -np.inf, 0).astype(np.float32)
        hidden[..., 0] = 0
        causal = np.triu(np.full((seq, seq), -np.inf, np.float32), 1)
        for more in (
            {},
            {"position_bias": bias},
            {"attention_mask": hidden},
            {"position_bias": bias, "attention_mask": causal},
            {"attention_mask": hidden[0, 0]},
            {"attention_mask": bias[0]},
        ):
            yield from _whole(layer, x, weights, heads, options, more)
        yield from _whole(layer, x[1:], weights, heads, options, {})  # a text less
        yield from _pieces(layer, x, weights, heads, options, causal, bias)
    placed = module.MultiHeadAttention(8, 2, 0.3, False, True, True, 0.5)
    named = {"bias": False, "add_zero_attn": True, "use_rotary": True, "attention_scale": 0.5}
    weights = tools.weights(random, {"qkv_proj.weight": (24, 8), "out_proj.weight": (8, 8)})
    tools.load(placed, weights)
    few = random.normal(0, 1, (2, 3, 8)).astype(np.float32)
    yield from _whole(placed, few, weights, 2, named, {})
    for options in ({}, {"use_rotary": True}, {"attention_scale": 0.5}, {"add_zero_attn": True}):
        layer, weights = _drawn(module, random, 2, 4, options)
        long = random.normal(0, 1, (1, 300, 8)).astype(np.float32)
        yield from _whole(layer, long, weights, 2, options, {})
    _hidden_for_sure(module, random)
    yield from _every_option(module, random)
    yield from _last_position(module, random)
    yield from _biases(module, random)
    yield from _extremes(module, random)


def _extremes(module: types.ModuleType, random: Any) -> Iterator[float]:
    """Scores that are all 0, and scores of 1,000; tokens after 70 others."""
    for options in ({}, {"add_zero_attn": True}):
        layer, weights = _drawn(module, random, 2, 4, options)
        x = random.normal(0, 1, (2, 5, 8)).astype(np.float32)
        far = random.normal(0, 300, (1, 2, 5, 5)).astype(np.float32)
        far += np.array([1000, -1000, 0, 90, -90], np.float32)[:, None]
        yield from _whole(layer, x, weights, 2, options, {"position_bias": far})
        one = np.zeros(5, np.float32)
        one[1] = -np.inf
        low = np.where(one < 0, np.float32(1000), np.float32(-996))[None, None, None]
        more = {"position_bias": low.repeat(2, 1).repeat(5, 2), "attention_mask": one}
        yield from _whole(layer, x, weights, 2, options, more)
        long = random.normal(0, 1, (1, 72, 8)).astype(np.float32)
        causal = np.triu(np.full((72, 72), -np.inf, np.float32), 1)
        bias = np.zeros((1, 2, 72, 72), np.float32)
        ends = ((0, 70), (70, 72))
        yield from _pieces(layer, long, weights, 2, options, causal, bias, ends)
        weights["qkv_proj.weight"][:8], weights["qkv_proj.bias"][:8] = 0.0, 0.0
        tools.load(layer, weights)
        near = np.where(random.random((5, 5)) < 0.5, -1.5, 0.0).astype(np.float32)
        for more in (
            {},
            {"attention_mask": near},
            {"attention_mask": causal[:5, :5]},
            {"position_bias": near[None, None].repeat(2, 1)},
        ):
            yield from _whole(layer, x, weights, 2, options, more)


def _biases(module: types.ModuleType, random: Any) -> Iterator[float]:
    """A bias that hides a key beside the zero, and one of a single column after a past."""
    options: dict[str, Any] = {"add_zero_attn": True}
    layer, weights = _drawn(module, random, 2, 4, options)
    x = random.normal(0, 1, (2, 5, 8)).astype(np.float32)
    bias = random.normal(0, 1, (2, 5, 5)).astype(np.float32)
    bias[1, 2, 0] = -np.inf
    yield from _whole(layer, x, weights, 2, options, {"position_bias": bias})
    options = {"use_rotary": True}
    layer, weights = _drawn(module, random, 2, 4, options)
    _, cache = tools.pair(layer, x[:, :3], use_cache=True)
    tools.pair(layer, x[:, 3:], use_cache=True)  # another text begins
    more = {"past_key_value": cache, "position_bias": bias[:, :1, 1:2]}
    have, _ = tools.pair(layer, x[:, 3:], **more)
    w = tools.exact(weights)
    nothing = np.zeros((2, 2, 5, 5))
    want, _, _ = formulas.attention(x.astype(np.float64), w, 2, nothing, **_told(options))
    yield tools.off(have, want[:, 3:], "a bias of one column after a past")


def _hidden_for_sure(module: types.ModuleType, random: Any) -> None:
    """What a mask hides has no weight, however large its score and its value are."""
    layer, weights = _drawn(module, random, 2, 4, {})
    weights["qkv_proj.weight"][:16], weights["qkv_proj.bias"][:16] = 0.0, 0.0  # scores are 0
    tools.load(layer, weights)
    x = random.normal(0, 1, (1, 5, 8)).astype(np.float32)
    causal = np.triu(np.full((5, 5), -np.inf, np.float32), 1)
    bias = np.where(causal < 0, np.float32(40), np.float32(-85))[None, None]
    bias[..., 2:, 2] = -300  # a score that is not clipped leaves no weight either
    more = {"attention_mask": causal, "position_bias": bias}
    plain, _ = tools.pair(layer, x, **more)
    x[:, 2] *= 1e30
    x[:, -1] *= 1e9
    other, _ = tools.pair(layer, x, **more)
    tools.off(tools.read(other, "y")[:, :-1], tools.read(plain, "y")[:, :-1], "what a mask hides")


def _last_position(module: types.ModuleType, random: Any) -> Iterator[float]:
    """The last of 2048 tokens, alone after a cache of all others."""
    layer, weights = _drawn(module, random, 1, 4, {"use_rotary": True})
    x = random.normal(0, 2, (1, 2048, 4)).astype(np.float32)
    _, cache = tools.pair(layer, x[:, :-1], use_cache=True)
    have, _ = tools.pair(layer, x[:, -1:], past_key_value=cache)
    w = tools.exact(weights)
    fused = x[0].astype(np.float64) @ w["qkv_proj.weight"].T + w["qkv_proj.bias"]
    query, keys, values = np.split(fused, 3, axis=-1)
    turned = np.array([formulas.turned(key, place) for place, key in enumerate(keys)])
    last = formulas.turned(query[-1], 2047)
    found = formulas.one_query(last, turned, values, 0.5, np.zeros(2048), False)
    want = found @ w["out_proj.weight"].T + w["out_proj.bias"]
    yield tools.off(tools.read(have, "the last position")[0, 0], want, "the last position")


PIECES = (
    # heads, width of a head, batch, tokens before, new tokens
    (2, 2, 2, 2, 2),
    (3, 4, 3, 1, 2),
    (4, 4, 2, 3, 1),
    (1, 4, 3, 2, 3),
    (2, 1, 2, 1, 4),
    (3, 2, 1, 3, 2),
    (5, 2, 5, 5, 1),
    (2, 6, 4, 6, 3),
    (2, 4, 3, 1, 1),
    (2, 2, 3, 4, 4),
)


def _every_option(module: types.ModuleType, random: Any) -> Iterator[float]:
    """Half of the choices of four options for each of these sizes, with the cache."""
    for number, sizes in enumerate(PIECES):
        for index, chosen in enumerate(itertools.product((False, True), repeat=4)):
            bias, scale, zero, rotary = chosen
            if (rotary and sizes[1] == 1) or (sum(chosen) + number) % 2:
                continue
            options: dict[str, Any] = {"bias": bias, "add_zero_attn": zero}
            options["use_rotary"] = rotary
            options |= {"attention_scale": 0.6} if scale else {}
            yield from _two_pieces(module, random, sizes, options, index + number)


def _drawn(module: types.ModuleType, random: Any, heads: int, dim: int, options: Any) -> Any:
    """A layer with these options, and its weights."""
    width = heads * dim
    shapes: dict[str, tuple[int, ...]] = {
        "qkv_proj.weight": (3 * width, width),
        "out_proj.weight": (width, width),
    }
    if options.get("bias", True):
        shapes |= {"qkv_proj.bias": (3 * width,), "out_proj.bias": (width,)}
    weights = tools.weights(random, shapes)
    return tools.loaded(module.MultiHeadAttention, weights, width, heads, **options), weights


def _two_pieces(
    module: types.ModuleType, random: Any, sizes: Any, options: Any, index: int
) -> Iterator[float]:
    """A text, what follows it, and both again; masks and biases now here and now there."""
    heads, dim, batch, before, new = sizes
    layer, weights = _drawn(module, random, heads, dim, options)
    total = before + new
    for turn in range(2):
        if turn:  # other weights
            weights = tools.turned(weights)
            tools.load(layer, weights)
        w = tools.exact(weights)
        x = random.normal(0, 1, (batch, total, heads * dim)).astype(np.float32)
        cache = None
        added = np.zeros((batch, heads, total, total))
        added[:, :, :before, before:] = -np.inf
        for begin, end in ((0, before), (before, total)):
            more: dict[str, Any] = {"past_key_value": cache, "use_cache": True}
            kind = index + turn + (begin > 0)
            if kind % 2:
                new = end - begin
                shapes = ((new, end), (batch, 1, 1, end), (batch, heads, new, end), (new, 1))
                shape = shapes[kind // 2 % (3 if options["add_zero_attn"] else 4)]
                mask = random.normal(0, 1, shape).astype(np.float32)
                hidden = random.random(mask.shape) < 0.3
                hidden[..., -1] = False
                mask[hidden] = -np.inf
                more["attention_mask"] = mask
                added[:, :, begin:end, :end] += mask
            if kind // 2 % 2:
                bias = random.normal(0, 1, (1, heads, end - begin, end)).astype(np.float32)
                more["position_bias"] = bias
                added[:, :, begin:end, :end] += bias
            out, cache = tools.pair(layer, x[:, begin:end], **more)
            want, _, values = formulas.attention(
                x[:, :end].astype(np.float64), w, heads, added[:, :, :end, :end], **_told(options)
            )
            what = f"{sizes} with {options}, {sorted(more)}, tokens {begin} to {end}"
            yield tools.off(out, want[:, begin:end], what)
            yield tools.off(cache[1], values, "values")


def _told(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "scale": options.get("attention_scale"),
        "zero": options.get("add_zero_attn", False),
        "rotary": options.get("use_rotary", False),
    }


def _whole(
    layer: Any, x: Any, weights: Any, heads: int, options: Any, more: Mapping[str, Any]
) -> Iterator[float]:
    """A whole text at once, without the cache."""
    pair = tools.pair(layer, x, **more)
    if pair[1] is not None:
        raise Wrong("a cache is returned unasked")
    batch, seq, _ = x.shape
    added = sum(
        (array.astype(np.float64) for array in more.values()), np.zeros((batch, heads, seq, seq))
    )
    w = tools.exact(weights)
    want, _, _ = formulas.attention(x.astype(np.float64), w, heads, added, **_told(options))
    what = f"the output with {options}, {sorted(more)}"
    yield tools.off(pair[0], want, what)


def _pieces(
    layer: Any,
    x: Any,
    weights: Any,
    heads: int,
    options: Any,
    causal: Any,
    bias: Any,
    ends: tuple[tuple[int, int], ...] = ((0, 2), (2, 3), (3, 6)),
) -> Iterator[float]:
    """The same text in pieces with the cache, against the formula for the whole."""
    batch, seq, _ = x.shape
    added = np.broadcast_to(bias.astype(np.float64) + causal, (batch, heads, seq, seq))
    w = tools.exact(weights)
    want, keys, values = formulas.attention(x.astype(np.float64), w, heads, added, **_told(options))
    cache = None
    for begin, end in ends:
        more = {
            "position_bias": bias[..., begin:end, :end],
            "attention_mask": causal[begin:end, :end],
            "past_key_value": cache,
            "use_cache": True,
        }
        out, cache = tools.pair(layer, x[:, begin:end], **more)
        what = f"tokens {begin} to {end} with {options}"
        yield tools.off(out, want[:, begin:end], what)
        if not isinstance(cache, tuple | list) or len(cache) != 2:
            raise Wrong("the cache is no pair")
        if not options.get("use_rotary"):
            yield tools.off(cache[0], keys[:, :, :end], "keys")
        yield tools.off(cache[1], values[:, :, :end], "values")
