"""Random trials of GPT-2's feed-forward network and of its block."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from checks.shared import block as oracles
from checks.shared.attention import Floats
from checks.shared.random_inputs import Array, Rng, long, nonzero, normal
from checks.shared.trials import UNUSED, attention_weights
from grader.rubric import (
    Call,
    ConfigArg,
    Load,
    Make,
    Probe,
    TensorArg,
    Trial,
    beside,
    in_turn,
    reloaded,
)

Config = dict[str, int | float]

STEADY: Config = {"layer_norm_epsilon": 0.3}
"""With a small one, few features that are nearly equal make large what float32 rounds away."""

FUTURE = 2
"""In the trial ``calls``, tokens from this position on are changed for the second call."""


def draw(rng: Rng) -> list[Trial]:
    """The feed-forward network alone, then whole blocks of several sizes."""
    return [
        mlp_trial(rng, "mlp-wide", n_embd=5, inner=INNER, shape=(2, 3)),
        mlp_trial(rng, "mlp-below-zero", n_embd=6, inner=80, shape=(), low=True),
        mlp_trial(
            rng,
            "mlp-narrow",
            n_embd=8,
            inner=3,
            shape=(1, 2, 2),
            low=True,
            n_inner=5,
            resid_pdrop=DROPPED,
        ),
        block_trial(rng, "block-usual", {"n_embd": 12, "n_head": 3}, (2, 12)),
        _tiny(rng, "block-inner", {"n_embd": 10, "n_head": 2, "n_inner": 7}, (10, 4)),
        block_trial(
            rng,
            "block-epsilon",
            {"n_embd": 8, "n_head": 4, "n_inner": 768, "layer_norm_epsilon": 0.7},
            (1, long(rng)),
        ),
        reloaded(_one_token(rng), _one_token(rng)),
        *_in_turn(rng),
        _calls(rng),
    ]


INNER = 3100
"""An inner width beyond that of GPT-2, and no multiple of anything."""

DROPPED = 0.6
"""A share of dropout that is not the usual one. Nothing is dropped."""

TINY = 1e-5
"""Of numbers of this size, an epsilon of 1e-12 is a hundredth of the variance."""


def _tiny(rng: Rng, name: str, config: Config, size: tuple[int, int]) -> Trial:
    """Both normalizations read numbers so small that an epsilon of 1e-12 shows."""
    config = {**config, "layer_norm_epsilon": 1e-12}
    x = normal(rng, *size, int(config["n_embd"]), scale=TINY)
    weights = block_weights(rng, config)
    for kind in ("weight", "bias"):
        weights[f"attn.c_proj.{kind}"] *= np.float32(TINY)
    return _block(rng, name, config, {"out": x}, weights)


def _one_token(rng: Rng) -> Trial:
    config = {"n_embd": 6, "n_head": 1, "layer_norm_epsilon": 0.3}
    return block_trial(rng, "block-one-token", config, (4, 1))


MLPS = (
    ("a", 4, 4, (4,), "second"),
    ("b", 3, 12, (1, 1, 3), "large"),
    ("c", 1, 1, (1, 1023), "second"),
)
"""Name, width, inner width, leading dimensions and second of three calls.

The last has texts nearly as long as GPT-2 reads: a program that goes piece by piece may lose the
rest, whether the pieces have 64 tokens or 256.
What is called "large" gives GELU numbers of some hundreds, which clipped ones are not.
"""


def _in_turn(rng: Rng) -> list[Trial]:
    """Lengths that are equal or one, layers in turn, on inputs of one shape each."""
    mlps = {
        key: mlp_trial(
            rng,
            key,
            n_embd=width,
            inner=inner,
            shape=shape,
            low=True,
            calls=("first", second, "third"),
        )
        for key, width, inner, shape, second in MLPS
    }
    configs: tuple[tuple[Config, tuple[int, int]], ...] = (
        ({"n_embd": 9, "n_head": 3, "layer_norm_epsilon": 0.3}, (3, 3)),
        ({"n_embd": 3, "n_head": 3, "n_inner": 3, "layer_norm_epsilon": 0.2}, (2, 2)),
        ({**UNUSED, "n_embd": 4, "n_head": 1, "n_inner": INNER, **STEADY}, (2, 4)),
        ({"n_embd": 8, "n_head": 2, "resid_pdrop": DROPPED, **STEADY}, (4, 2)),
    )
    blocks: list[Trial] = []
    for config, size in configs:
        shape = (*size, int(config["n_embd"]))
        names = ("first", "second") if len(blocks) < 2 else ("first",)
        inputs = {name: normal(rng, *shape, scale=1.5) for name in names}
        blocks.append(_block(rng, "block", config, inputs))
    pairs = zip(blocks[::2], blocks[1::2], strict=True)
    return [
        in_turn("mlp-turn", mlps),
        *(
            in_turn(f"block-turn-{index}", dict(zip("ab", pair, strict=True)))
            for index, pair in enumerate(pairs, start=1)
        ),
    ]


def mlp_weights(rng: Rng, n_embd: int, inner: int, *, low: bool = False) -> dict[str, Array]:
    """Weights of a feed-forward network that keep numbers of order 1.

    With ``low``, what GELU reads lies around -2, where its two formulas differ most beside what
    they give.
    """
    spread = 0.4 if low else 1.5
    return {
        "c_fc.weight": nonzero(rng, inner, n_embd, scale=spread * n_embd**-0.5),
        "c_fc.bias": nonzero(rng, inner, scale=0.5) - np.float32(2.3 if low else 0.0),
        "c_proj.weight": nonzero(rng, n_embd, inner, scale=1.5 * inner**-0.5),
        "c_proj.bias": nonzero(rng, n_embd, scale=0.02 if low else 0.5),
    }


def mlp_trial(
    rng: Rng,
    name: str,
    *,
    n_embd: int,
    inner: int,
    shape: tuple[int, ...],
    low: bool = False,
    calls: tuple[str, ...] = ("out",),
    **more: float,
) -> Trial:
    """``GPT2MLP(inner, config)`` by itself, on vectors ``[*shape, n_embd]``.

    ``more`` is set in the configuration, which does not decide the inner width here.
    """
    weights = mlp_weights(rng, n_embd, inner, low=low)
    scale = 1.0 if low else 1.5
    inputs = {call: normal(rng, *shape, n_embd, scale=scale) for call in calls}
    if "large" in inputs:
        inputs["large"] = nonzero(rng, *shape, n_embd, scale=2000.0)
    return Trial(
        Probe(
            name,
            (
                Make("module", "GPT2MLP", (inner, ConfigArg({"n_embd": n_embd, **more}))),
                Load("loaded", "module", dict(weights)),
                *(Call(name, "module", None, (TensorArg(x),)) for name, x in inputs.items()),
            ),
        ),
        lambda **knobs: {
            name: oracles.mlp(x.astype(np.float64), weights, **knobs) for name, x in inputs.items()
        },
    )


def norm_weights(rng: Rng, n_embd: int) -> dict[str, Array]:
    """Weight and bias of a normalization, far enough from 1 and 0 to be missed."""
    return {
        "weight": nonzero(rng, n_embd, scale=0.5) + np.float32(1.0),
        "bias": nonzero(rng, n_embd, scale=0.5),
    }


def block_weights(rng: Rng, config: Mapping[str, int | float]) -> dict[str, Array]:
    """Weights of a whole block under Hugging Face's names, Linear weights as ``[out, in]``."""
    n_embd = int(config["n_embd"])
    parts = {
        "ln_1": norm_weights(rng, n_embd),
        "attn": attention_weights(rng, n_embd),
        "ln_2": norm_weights(rng, n_embd),
        "mlp": mlp_weights(rng, n_embd, int(config.get("n_inner", 4 * n_embd))),
    }
    return {
        f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()
    }


def block_trial(rng: Rng, name: str, config: Config, size: tuple[int, int]) -> Trial:
    """``GPT2Block(config)`` on a batch of texts, ``size`` being batch and length."""
    x = normal(rng, *size, int(config["n_embd"]), scale=1.7) + np.float32(0.6)
    return _block(rng, name, config, {"out": x})


def _calls(rng: Rng) -> Trial:
    """One block beside another: a text, its future changed, the first again, large numbers."""
    x = normal(rng, 2, 4, 6, scale=1.5)
    changed = x.copy()
    changed[:, FUTURE:] += normal(rng, 2, 4 - FUTURE, 6, scale=2.0)
    changed[:, -1, :2] += np.array([300.0, -300.0], np.float32)  # a clipped stream would show
    large = changed[:1].copy()
    large[:, -1, :2] *= 300  # also at the largest number of float16
    inputs = {"first": x, "changed": changed, "again": x, "large": large}
    config = {"n_embd": 6, "n_head": 2, "layer_norm_epsilon": 0.3}
    return beside(_block(rng, "block-calls", config, inputs))


def _block(
    rng: Rng,
    name: str,
    config: Config,
    inputs: dict[str, Array],
    weights: dict[str, Array] | None = None,
) -> Trial:
    weights = weights or block_weights(rng, config)
    n_head, eps = int(config["n_head"]), float(config.get("layer_norm_epsilon", 1e-5))

    def expect(**knobs: object) -> dict[str, Floats]:
        return {
            key: oracles.block(x.astype(np.float64), weights, n_head, eps, **knobs)
            for key, x in inputs.items()
        }

    calls = (Call(key, "module", None, (TensorArg(x),)) for key, x in inputs.items())
    make = Make("module", "GPT2Block", (ConfigArg(dict(config)),))
    return Trial(Probe(name, (make, Load("loaded", "module", dict(weights)), *calls)), expect)
