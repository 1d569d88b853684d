"""GPT-2's feed-forward network and its block."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from checks.shared.attention import Floats, gpt2_attention, linear
from checks.shared.layer_norm import layer_norm

Weights = Mapping[str, npt.NDArray[np.generic]]


CONSTANTS = {"half": 0.5, "one": 1.0, "root": math.sqrt(2 / math.pi), "cube": 0.044715, "power": 3}
"""The numbers in GELU's formula."""

INSTEAD_OF_GELU: Mapping[str, Callable[[Floats], Floats]] = {
    "erf": lambda x: x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "quick": lambda x: x / (1 + np.exp(-1.702 * x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0.0),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "then_relu": lambda x: np.maximum(gelu(x), 0.0),
    "then_tanh": lambda x: np.tanh(gelu(x)),
    "absent": lambda x: x,
}
"""What the knob ``gelu`` replaces GELU with."""


def gelu(x: Floats, **knobs: Any) -> Floats:
    """Compute the tanh approximation of GELU: Hendrycks and Gimpel 2016, section 2.

    Knob ``gelu``: another function in its place, or other ``CONSTANTS`` as a dictionary.
    """
    knob = knobs.get("gelu")
    if isinstance(knob, str):
        return np.asarray(INSTEAD_OF_GELU[knob](x))
    c = CONSTANTS | (knob or {})
    inner = c["root"] * (x + c["cube"] * x ** c["power"])
    return np.asarray(c["half"] * x * (c["one"] + np.tanh(inner)))


def mlp(x: Floats, weights: Weights, **knobs: Any) -> Floats:
    """Compute GPT-2's feed-forward network: ``[…, n_embd]`` → the same shape. Radford et al. 2019.

    ``weights`` holds ``c_fc.weight`` ``[inner, n_embd]``, ``c_fc.bias``, ``c_proj.weight``
    ``[n_embd, inner]`` and ``c_proj.bias``.
    """
    w = {name: array.astype(np.float64, copy=False) for name, array in weights.items()}
    fc_bias = None if knobs.get("mlp") == "no_fc_bias" else w["c_fc.bias"]
    proj_bias = None if knobs.get("mlp") == "no_proj_bias" else w["c_proj.bias"]
    match knobs.get("mlp"):
        case "gelu_first":
            return linear(linear(gelu(x), w["c_fc.weight"], fc_bias), w["c_proj.weight"], proj_bias)
        case "gelu_last":
            wide = linear(x, w["c_fc.weight"], fc_bias)
            return gelu(linear(wide, w["c_proj.weight"], proj_bias))
        case "gelu_twice":
            wide = gelu(gelu(linear(x, w["c_fc.weight"], fc_bias)))
            return linear(wide, w["c_proj.weight"], proj_bias)
        case "gelu_both":
            wide = gelu(linear(x, w["c_fc.weight"], fc_bias))
            return gelu(linear(wide, w["c_proj.weight"], proj_bias))
        case "residual":
            return x + mlp(x, weights, gelu=knobs.get("gelu"))
        case "input":
            return x
    wide = gelu(linear(x, w["c_fc.weight"], fc_bias), **knobs)
    return linear(wide, w["c_proj.weight"], proj_bias)


def part(weights: Weights, prefix: str) -> dict[str, Floats]:
    """Return the weights whose names start with ``prefix``, without it, in float64."""
    return {
        name.removeprefix(prefix): array.astype(np.float64, copy=False)
        for name, array in weights.items()
        if name.startswith(prefix)
    }


def block(x: Floats, weights: Weights, n_head: int, eps: float, /, **knobs: Any) -> Floats:
    """Compute a pre-norm block of GPT-2: ``[batch, seq, n_embd]`` → the same shape.

    h = x + attn(ln_1(x)); then h + mlp(ln_2(h)). Radford et al. 2019, section 2.3. Knob
    ``block``: other ways to wire the four parts.
    """
    named: dict[str, dict[str, Floats]] = {}
    for name, array in weights.items():
        owner, _, own = name.partition(".")
        named.setdefault(owner, {})[own] = array.astype(np.float64, copy=False)

    def norm(name: str) -> Callable[[Floats], Floats]:
        added = 1e-5 if knobs.get("eps") in ("default", name) else eps
        return lambda v: layer_norm(v, named[name]["weight"], named[name]["bias"], added)

    def attend(v: Floats) -> Floats:
        return gpt2_attention(v, named["attn"], n_head)

    def feed(v: Floats) -> Floats:
        return mlp(v, named["mlp"], **knobs)

    wiring = WIRINGS.get(knobs.get("block", ""), _pre_norm)
    return wiring(x, norm("ln_1"), norm("ln_2"), attend, feed)


Layer = Callable[[Floats], Floats]
Wiring = Callable[[Floats, Layer, Layer, Layer, Layer], Floats]


def _pre_norm(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + attn(ln_1(x))
    return h + feed(ln_2(h))


def _post_norm(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = ln_1(x + attn(x))
    return ln_2(h + feed(h))


def _norm_of_layer(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + ln_1(attn(x))
    return h + ln_2(feed(h))


def _normed_stream(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    x = ln_1(x)
    h = ln_2(x + attn(x))
    return h + feed(h)


def _from_start(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    return x + feed(ln_2(x + attn(ln_1(x))))


def _parallel(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    return x + attn(ln_1(x)) + feed(ln_2(x))


def _reversed(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + feed(ln_2(x))
    return h + attn(ln_1(h))


def _norm_first_only(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + attn(ln_1(x))
    return h + feed(h)


def _norm_second_only(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + attn(x)
    return h + feed(ln_2(h))


def _post_norm_first(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    return _no_first(ln_1(x + attn(x)), ln_2, feed)


def _post_norm_second(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + attn(ln_1(x))
    return ln_2(h + feed(h))


def _norm_of_attention(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    return _no_first(x + ln_1(attn(x)), ln_2, feed)


def _norm_of_feed(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + attn(ln_1(x))
    return h + ln_2(feed(h))


def _one_text(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    return _no_first(x + attn(ln_1(x))[0], ln_2, feed)


def _one_token(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    return _no_first(x + attn(ln_1(x))[0][0], ln_2, feed)


def _one_text_of_feed(x: Floats, ln_1: Layer, ln_2: Layer, attn: Layer, feed: Layer) -> Floats:
    h = x + attn(ln_1(x))
    return np.asarray(h + feed(ln_2(h))[0])


WIRINGS: Mapping[str, Wiring] = {
    "post_norm_first": _post_norm_first,
    "post_norm_second": _post_norm_second,
    "norm_of_attention": _norm_of_attention,
    "norm_of_feed": _norm_of_feed,
    "one_text": _one_text,
    "one_token": _one_token,
    "one_text_of_feed": _one_text_of_feed,
    "second_residual_twice": lambda x, ln_1, ln_2, attn, feed: (
        2 * (x + attn(ln_1(x))) + feed(ln_2(x + attn(ln_1(x))))
    ),
    "post_norm": _post_norm,
    "norm_of_layer": _norm_of_layer,
    "normed_stream": _normed_stream,
    "from_start": _from_start,
    "parallel": _parallel,
    "mlp_first": _reversed,
    "no_ln_2": _norm_first_only,
    "no_ln_1": _norm_second_only,
    "no_norms": lambda x, _1, _2, attn, feed: x + attn(x) + feed(x + attn(x)),
    "ln_1_twice": lambda x, ln_1, _, attn, feed: _pre_norm(x, ln_1, ln_1, attn, feed),
    "ln_2_twice": lambda x, _, ln_2, attn, feed: _pre_norm(x, ln_2, ln_2, attn, feed),
    "norms_swapped": lambda x, ln_1, ln_2, attn, feed: _pre_norm(x, ln_2, ln_1, attn, feed),
    "no_residual": lambda x, ln_1, ln_2, attn, feed: feed(ln_2(attn(ln_1(x)))),
    "no_first_residual": lambda x, ln_1, ln_2, attn, feed: (
        attn(ln_1(x)) + feed(ln_2(attn(ln_1(x))))
    ),
    "no_second_residual": lambda x, ln_1, ln_2, attn, feed: feed(ln_2(x + attn(ln_1(x)))),
    "second_residual_of_norm": lambda x, ln_1, ln_2, attn, feed: (
        ln_2(x + attn(ln_1(x))) + feed(ln_2(x + attn(ln_1(x))))
    ),
    "first_residual_of_norm": lambda x, ln_1, ln_2, attn, feed: _no_first(
        ln_1(x) + attn(ln_1(x)), ln_2, feed
    ),
    "second_residual_of_attention": lambda x, ln_1, ln_2, attn, feed: (
        attn(ln_1(x)) + feed(ln_2(x + attn(ln_1(x))))
    ),
    "residual_twice": lambda x, ln_1, ln_2, attn, feed: _no_first(
        2 * x + attn(ln_1(x)), ln_2, feed
    ),
    "attention_added_twice": lambda x, ln_1, ln_2, attn, feed: _no_first(
        x + 2 * attn(ln_1(x)), ln_2, feed
    ),
    "mlp_added_twice": lambda x, ln_1, ln_2, attn, feed: (
        x + attn(ln_1(x)) + 2 * feed(ln_2(x + attn(ln_1(x))))
    ),
    "attention_only": lambda x, ln_1, _2, attn, _: x + attn(ln_1(x)),
    "mlp_only": lambda x, _1, ln_2, _, feed: x + feed(ln_2(x)),
    "attention_twice": lambda x, ln_1, ln_2, attn, _: _pre_norm(x, ln_1, ln_2, attn, attn),
    "mlp_twice": lambda x, ln_1, ln_2, _, feed: _pre_norm(x, ln_1, ln_2, feed, feed),
    "input": lambda x, *_: x,
}


def _no_first(h: Floats, ln_2: Layer, feed: Layer) -> Floats:
    return h + feed(ln_2(h))
