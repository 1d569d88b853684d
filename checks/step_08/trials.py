"""Random trials of ``LayerNorm`` and ``residual``."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from checks.shared.attention import Floats
from checks.shared.layer_norm import layer_norm
from checks.shared.random_inputs import Array, Rng, nonzero, normal
from checks.step_08 import oracle as oracles
from grader.rubric import (
    Action,
    Arg,
    Call,
    Load,
    Make,
    Probe,
    Ref,
    TensorArg,
    Trial,
    Watch,
    in_turn,
    reloaded,
    rounding,
)

LAYER, FUNCTION = "LayerNorm", "residual"
DEFAULT_EPS = 1e-5


def draw(rng: Rng) -> list[Trial]:
    """Layers of several widths, with eps large and small, then residual connections."""
    return [
        _fresh(rng),
        reloaded(*(_norm(rng, "norm-2d", (3, 7)) for _ in range(2))),
        _norm(rng, "norm-3d", (2, 5, 6), eps=0.25),
        _norm(rng, "norm-4d", (2, 3, 4, 5), eps=1.5),
        _norm(rng, "norm-wide", (2, 1, 1, 3, 64), eps=1e-3, scale=40.0, shift=SHIFT),
        _norm(rng, "norm-shifted", (4, 3, 8), eps=DEFAULT_EPS, shift=-SHIFT),
        _norm(rng, "norm-small", (3, 4, 6), scale=SMALL),
        *_in_turn(rng),
        reloaded(_outlier(rng), _outlier(rng)),
        _equal(rng),
        _residual(rng, "residual-3d", (2, 4, 6)),
        _residual(rng, "residual-other", (3, 2, 9), watched=True),
        _residual(rng, "residual-token", (1, 1, 5), watched=True),
        _residual(rng, "residual-equal", (3, 3, 3)),
        _residual(rng, "residual-2d", (4, 2)),
        _residual(rng, "residual-one", (3, 1)),
    ]


SHIFT = 2000.0
"""The mean of a vector, in deviations: float32 leaves nothing of mean(x²) − mean² there."""

SHIFTED = ("norm-wide", "norm-shifted")
"""The trials of such vectors."""

SMALL = 4e-3
"""Of numbers of this size, the usual eps is a large part of the variance."""

SIZES = (
    # shape, eps, scale of the input
    ((3, 3, 3), None, 1.0),
    ((4, 1, 2), 0.25, 1.0),
    ((1, 5, 6), 1e-12, 1e-5),
    ((2, 4, 1), None, 1.0),
    ((6,), None, 1.5),
    ((4, 4), 1e-12, 1.0),
    ((3, 5), None, SMALL),
    ((2, 3, 4, 5), 1.5, 1.0),
)
"""Lengths that are equal or one, and an eps so small that the input must be as small to show it."""


def _in_turn(rng: Rng) -> list[Trial]:
    """Layers of these sizes, two in turn, each on four inputs of one shape.

    The last two come with other weights.
    """
    each = []
    for shape, eps, scale in SIZES:
        layers = [
            _layer(
                "layer",
                {name: normal(rng, *shape, scale=scale) for name in ("first", "second")},
                weights(rng, shape[-1]),
                eps,
            )
            for _ in range(2)
        ]
        each.append(reloaded(*layers))
    return [
        in_turn(f"norm-turn-{index}", dict(zip("ab", pair, strict=True)))
        for index, pair in enumerate(zip(each[::2], each[1::2], strict=True), start=1)
    ]


def weights(rng: Rng, dim: int) -> dict[str, Array]:
    """A weight around 1 and a bias around 0, both with a spread that shows."""
    return {
        "weight": np.float32(1.0) + nonzero(rng, dim, scale=0.5),
        "bias": nonzero(rng, dim, scale=0.7),
    }


def _fresh(rng: Rng) -> Trial:
    """A layer as it is made: weight 1, bias 0, the usual eps."""
    x, dim = normal(rng, 1, 3, 8, scale=2.0), 8
    ones = {"weight": np.ones(dim, np.float32), "bias": np.zeros(dim, np.float32)}
    actions = (Make("module", LAYER, (dim,)), _call("out", x))
    return Trial(Probe("fresh", actions), _expect({"out": x}, ones, None))


def _norm(
    rng: Rng,
    name: str,
    shape: tuple[int, ...],
    *,
    eps: float | None = None,
    scale: float = 1.0,
    shift: float = 0.0,
) -> Trial:
    """Given weights; ``eps`` None leaves the default. Called twice, with other numbers between.

    ``shift`` is the mean, in units of ``scale``.
    """
    x = normal(rng, *shape, scale=scale) + np.float32(shift * scale)
    inputs = {"out": x, "other": normal(rng, *shape, scale=scale), "again": x}
    trial = _layer(name, inputs, weights(rng, shape[-1]), eps)
    return replace(trial, slack=rounding(abs(shift), shape[-1]))


def _outlier(rng: Rng) -> Trial:
    """The width of GPT-2 XL, with one number far from all others, as GPT-2 has them."""
    x = normal(rng, 2, 1600)
    x[:, 5] = [1000.0, -20_000.0]
    return _layer("norm-1600", {"out": x}, weights(rng, 1600), None)


def _equal(rng: Rng) -> Trial:
    """Vectors of equal numbers: their variance is 0."""
    quarters = rng.integers(-12, 13, (2, 3, 1)) / 4  # sums of them are exact
    x = np.broadcast_to(quarters, (2, 3, 4)).astype(np.float32)
    return _layer("equal", {"out": x}, weights(rng, 4), None)


def _layer(
    name: str, inputs: Mapping[str, Array], given: dict[str, Array], eps: float | None
) -> Trial:
    more: dict[str, Arg] = {} if eps is None else {"eps": eps}
    made = Make("module", LAYER, (len(given["weight"]),), more)
    load = Load("loaded", "module", dict(given))
    calls = tuple(_call(path, x) for path, x in inputs.items())
    return Trial(
        Probe(name, (made, load, *calls)),
        _expect(inputs, given, eps),
    )


def _call(name: str, x: Array) -> Call:
    return Call(name, "module", None, (TensorArg(x),))


def _expect(inputs: Mapping[str, Array], given: Mapping[str, Array], eps: float | None) -> Any:
    """The oracle's answer to each input of one layer; ``eps`` None leaves the default.

    Knob ``default``: another default than the lesson's.
    """
    weight, bias = (given[name].astype(np.float64) for name in ("weight", "bias"))

    def expect(**knobs: Any) -> dict[str, Floats]:
        added = knobs.get("default", DEFAULT_EPS) if eps is None else eps
        return {
            path: layer_norm(x.astype(np.float64), weight, bias, added, **knobs)
            for path, x in inputs.items()
        }

    return expect


CALLS = {
    "out": ("norm", "sublayer"),
    "swapped": ("sublayer", "norm"),
    "both": ("norm", "norm"),
}
"""The norm and the sublayer of each call of ``residual``."""


def _exactly(x: Floats, *, numbers: tuple[Floats, Floats], **knobs: Any) -> Floats:
    return layer_norm(x, *numbers, 0.1, **knobs)


def _residual(rng: Rng, name: str, shape: tuple[int, ...], *, watched: bool = False) -> Trial:
    """``residual`` with a second normalization instead of the sublayer.

    It is a layer that is certainly there, keeps the shape and is not linear. A second call swaps
    the two, a third has the first norm in both places and another input. Where ``watched``, both
    are objects that only pass on what they are called with: ``residual`` takes anything that can be
    called.
    """
    x, other = normal(rng, 2, *shape, scale=1.5)
    inputs = {call: other if call == "both" else x for call in CALLS}
    given = {"norm": weights(rng, shape[-1]), "sublayer": weights(rng, shape[-1])}
    actions: list[Action] = []
    for layer, numbers in given.items():
        actions.append(Make(layer, LAYER, (shape[-1],), {"eps": 0.1}))
        actions.append(Load(f"{layer}-loaded", layer, dict(numbers)))
    if watched:
        actions += [Watch(f"{layer}-watched", layer, ()) for layer in given]
    end = "-watched" if watched else ""
    for call, layers in CALLS.items():
        refs = (Ref(f"{layer}{end}") for layer in layers)
        actions.append(Call(call, None, FUNCTION, (TensorArg(inputs[call]), *refs)))
    exact = {
        layer: (numbers["weight"].astype(np.float64), numbers["bias"].astype(np.float64))
        for layer, numbers in given.items()
    }

    def expect(**knobs: Any) -> dict[str, Floats]:
        layers = {
            name: functools.partial(_exactly, numbers=numbers, **knobs)
            for name, numbers in exact.items()
        }
        return {
            call: oracles.residual(
                inputs[call].astype(np.float64), *(layers[n] for n in names), **knobs
            )
            for call, names in CALLS.items()
        }

    return Trial(Probe(name, tuple(actions)), expect)
