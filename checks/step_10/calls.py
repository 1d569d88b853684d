"""A ``MultiHeadAttention``, calls of it, and what the oracle answers to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from checks.shared.attention import Floats
from checks.shared.random_inputs import Array, Rng, nonzero
from checks.step_10.oracle import KeyValue, Layer, multi_head_attention
from grader.rubric import Arg, Call, Load, Make, Probe, Ref, TensorArg, Trial

CLASS = "MultiHeadAttention"


@dataclass(frozen=True)
class Step:
    """One call of a layer; ``after`` names the call whose cache it continues."""

    name: str
    x: Array
    mask: Array | None = None
    bias: Array | None = None
    after: str | None = None
    use_cache: bool = False


@dataclass(frozen=True)
class Options:
    """The arguments of a layer beside its sizes, by their names."""

    given: Mapping[str, bool | float] = field(default_factory=dict)

    def layer(self, weights: Mapping[str, Array], num_heads: int) -> Layer:
        """The same layer for the oracle."""
        scale = self.given.get("attention_scale")
        return Layer(
            weights,
            num_heads,
            scale=None if scale is None else float(scale),
            zero=bool(self.given.get("add_zero_attn", False)),
            rotary=bool(self.given.get("use_rotary", False)),
            dropout=float(self.given.get("dropout", 0.1)),
        )


def layer_weights(rng: Rng, hidden: int, *, bias: bool = True) -> dict[str, Array]:
    """Weights that keep numbers of order 1, Linear weights as ``[out, in]``."""
    spread = 1.5 * hidden**-0.5
    weights = {
        "qkv_proj.weight": nonzero(rng, 3 * hidden, hidden, scale=spread),
        "out_proj.weight": nonzero(rng, hidden, hidden, scale=spread),
    }
    if bias:
        weights["qkv_proj.bias"] = nonzero(rng, 3 * hidden, scale=0.5)
        weights["out_proj.bias"] = nonzero(rng, hidden, scale=0.5)
    return weights


def layer_trial(
    name: str,
    num_heads: int,
    head_dim: int,
    options: Options,
    steps: Sequence[Step],
    weights: Mapping[str, Array],
    *,
    cache_seen: bool = False,
    by_place: bool = False,
) -> Trial:
    """One layer, and these calls of it in order.

    With ``cache_seen`` the returned keys and values are compared too. Where there is a rotation,
    keys may be kept before or after it, so only values and outputs tell. ``by_place`` gives all
    arguments by their place, not by their names.
    """
    hidden = num_heads * head_dim
    layer = options.layer(weights, num_heads)
    make = Make("module", CLASS, (hidden, num_heads), dict(options.given))
    calls = [_call(step) for step in steps]
    if by_place:
        make = replace(make, args=(*make.args, *_placed(make.kwargs, OPTIONS)), kwargs={})
        calls = [
            replace(call, args=(*call.args, *_placed(call.kwargs, ARGUMENTS)), kwargs={})
            for call in calls
        ]

    def expect(**knobs: object) -> dict[str, Floats]:
        return _expected(layer, steps, cache_seen=cache_seen, **knobs)

    probe = Probe(name, (make, Load("loaded", "module", dict(weights)), *calls))
    return Trial(probe, expect)


OPTIONS: Mapping[str, Arg] = {
    "dropout": 0.1,
    "bias": True,
    "add_zero_attn": False,
    "use_rotary": False,
    "attention_scale": None,
}
ARGUMENTS: Mapping[str, Arg] = {
    "attention_mask": None,
    "position_bias": None,
    "past_key_value": None,
    "use_cache": False,
}
"""The arguments of a layer after its sizes, and of a call, in their order with their defaults."""


def _placed(given: Mapping[str, Arg], known: Mapping[str, Arg]) -> list[Arg]:
    return [given.get(name, default) for name, default in known.items()]


def _call(step: Step) -> Call:
    """The call with only the arguments that it needs."""
    kwargs: dict[str, Arg] = {}
    if step.mask is not None:
        kwargs["attention_mask"] = TensorArg(step.mask)
    if step.bias is not None:
        kwargs["position_bias"] = TensorArg(step.bias)
    if step.after is not None:
        kwargs["past_key_value"] = Ref(step.after, (1,))
    if step.use_cache:
        kwargs["use_cache"] = True
    return Call(step.name, "module", None, (TensorArg(np.ascontiguousarray(step.x)),), kwargs)


def _expected(
    layer: Layer, steps: Sequence[Step], *, cache_seen: bool, **knobs: object
) -> dict[str, Floats]:
    """Output of every call, and where ``cache_seen`` says so what it returns as cache.

    With knobs the calls may not fit together: then those before the first error are given.
    """
    found: dict[str, Floats] = {}
    kept: dict[str, KeyValue | None] = {}
    for step in steps:
        past = kept.get(step.after or "")
        try:
            output, key_value = multi_head_attention(
                layer,
                step.x.astype(np.float64),
                attention_mask=None if step.mask is None else step.mask.astype(np.float64),
                position_bias=None if step.bias is None else step.bias.astype(np.float64),
                past=past,
                **knobs,
            )
        except ValueError:
            if not knobs:
                raise
            break
        given = past if knobs.get("returned") == "past" else key_value
        kept[step.name] = given
        found[f"{step.name}.0"] = output
        if cache_seen and step.use_cache and given is not None:
            if not layer.rotary:
                found[f"{step.name}.1.0"] = given[0]
            found[f"{step.name}.1.1"] = given[1]
    return found
