"""Random trials of ``MultiHeadSelfAttentionRoPE``, after those of ``RotaryEmbedding``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from checks.shared.attention import Floats
from checks.shared.large_scores import SLACK, extreme, steer
from checks.shared.random_inputs import Array, Rng, long, nonzero, normal
from checks.step_06 import oracle as oracles
from checks.step_06 import rotations
from checks.step_06.oracle import Ints
from checks.step_06.rotations import LONGEST, random_positions, random_theta
from grader.rubric import Call, Load, Make, Probe, Read, TensorArg, Trial, in_turn

LAYER = "MultiHeadSelfAttentionRoPE"


def draw(rng: Rng) -> list[Trial]:
    """Rotations by themselves, then whole layers."""
    return [
        *rotations.draw(rng),
        *_layers(rng),
        *_layers_in_turn(rng),
        _no_weights(),
        _calls(rng),
    ]


def _layers_in_turn(rng: Rng) -> list[Trial]:
    """Layers of equal lengths or of one, two in turn, with texts of 2 to 4 dimensions each.

    Their second texts come with other weights, and have scores far from 0, at position 0, where
    nothing is turned. Some are longer or shorter than the first, and so are those of 2 dimensions,
    which come last or between the others. All layers have one base, and one has a longer table.
    """
    sizes = (
        # heads, d_k, shape of the texts, length of the second and of those of 2 dimensions
        (2, 2, (2, 2), 2, 4),
        (1, 6, (3, 4), 4, 3),
        (4, 4, (3, 4), 4, 3),
        (3, 4, (1, 3), 5, 5),
        (2, 6, (2, 12), 7, 4),
        (3, 2, (6, 1), 1, 3),
    )
    each: list[Trial] = []
    base = random_theta(rng)
    for index, (n_head, d_k, leading, second, length) in enumerate(sizes):
        w, x = weights(rng, n_head * d_k), normal(rng, *leading, n_head * d_k)
        y = normal(rng, leading[0], second, n_head * d_k)
        others = weights(rng, n_head * d_k)
        steer(others["q"], others["k"], others["v"], n_head)
        flat = {"flat": (normal(rng, length, n_head * d_k), random_positions(rng, length))}
        positions = leading[index == SHARED :]
        later = LONGEST if index == LATER else 0
        places = random_positions(rng, *positions) + later
        deep = {"deep": (normal(rng, *x.shape)[:, None], np.expand_dims(places, -2))}
        given = {
            "first": (x, random_positions(rng, *positions)),
            **(flat if index % 2 else deep),
            "second": (extreme(rng, y, d_k), np.zeros((*positions[:-1], second), np.int64)),
            **(deep if index % 2 else flat),
        }
        trial = _layer_trial("layer", w, n_head, base, given, LONGEST + later, second=others)
        each.append(replace(trial, slack=SLACK))
    return [
        in_turn(f"layer-turn-{index}", dict(zip("ab", pair, strict=True)))
        for index, pair in enumerate(zip(each[::2], each[1::2], strict=True), start=1)
    ]


SHARED = 3
"""Of the layers in turn, the one whose texts have the same positions."""

LATER = 4
"""The one whose positions begin where an earlier layer's table ends, which is as wide."""


def _no_weights() -> Trial:
    """The layer has none either: they are arguments of each call."""
    made = Make("module", LAYER, (6, 3, LONGEST, 50.0))
    return Trial(Probe("layer-empty", (made, Load("loaded", "module", {}))))


def _layers(rng: Rng) -> list[Trial]:
    """``MultiHeadSelfAttentionRoPE`` with no, one and two leading dimensions."""
    two, three, five = (int(n) for n in rng.permutation([2, 3, 5]))
    return [
        _long(rng),
        _layer(rng, "layer-3d", two, 4, (three, five + 4), (three, five + 4)),
        _layer(rng, "layer-shared", 3, 6, (2, 5), (5,)),
        _layer(rng, "layer-4d", 2, 6, (3, 3, 5), (3, 3, 5)),
        _layer(rng, "layer-5d-shared", 5, 2, (2, 3, 1, 4), (4,)),
        _layer(rng, "layer-token", 3, 2, (2, 1), (2, 1)),
    ]


def weights(rng: Rng, d_model: int) -> dict[str, Array]:
    """Projections that keep numbers of order 1."""
    return {name: nonzero(rng, d_model, d_model, scale=1.5 * d_model**-0.5) for name in "qkvo"}


def _layer(
    rng: Rng,
    name: str,
    n_head: int,
    d_k: int,
    leading: tuple[int, ...],
    positions: tuple[int, ...],
) -> Trial:
    d_model, theta = n_head * d_k, random_theta(rng)
    w, x = weights(rng, d_model), normal(rng, *leading, d_model)
    places = random_positions(rng, *positions)
    if len(positions) == 1:
        places = places.astype(np.int32)
    inputs = {"out": (x, places)}
    return _layer_trial(name, w, n_head, theta, inputs)


def _long(rng: Rng) -> Trial:
    """One text without leading dimensions, too long for a mask or a table of a fixed size."""
    n_head, d_k, seq = 2, 4, long(rng)
    x, places = normal(rng, seq, n_head * d_k), LATE - 2 - rng.permutation(seq)
    w = weights(rng, n_head * d_k)
    return _layer_trial("layer-2d", w, n_head, random_theta(rng), {"out": (x, places)}, LATE)


LATE = 5_000
"""``max_seq_len`` of the layer whose positions are the last ones."""


def _calls(rng: Rng) -> Trial:
    """One layer called on a text, on the same text elsewhere, with a changed end, and again.

    Each text has positions of its own.
    """
    n_head, d_k, batch, seq = 2, 4, 8, 5
    d_model, theta = n_head * d_k, random_theta(rng)
    x, places = normal(rng, batch, seq, d_model), np.add.outer(2 * np.arange(batch), np.arange(seq))
    changed = x.copy()
    changed[:, FUTURE:] += normal(rng, batch, seq - FUTURE, d_model, scale=2.0)
    inputs: dict[str, tuple[Array, Ints]] = {
        "first": (x, places),
        "changed": (changed, places),
        "moved": (x, places + int(rng.integers(9, 28))),
        "again": (x, places),
    }
    return _layer_trial("calls", weights(rng, d_model), n_head, theta, inputs)


FUTURE = 3
"""In the trial ``calls``, tokens from this position on are changed for the call ``changed``."""


def _layer_trial(
    name: str,
    w: dict[str, Array],
    n_head: int,
    theta: float,
    inputs: dict[str, tuple[Array, Ints]],
    longest: int = LONGEST,
    second: dict[str, Array] | None = None,
) -> Trial:
    """One layer, and its calls; ``second`` are the weights of the call with this name."""
    d_model = len(w["q"])
    made = Make("module", LAYER, (d_model, n_head, longest, theta))
    read = Read("attributes", "module", ("d_model", "num_heads"))
    with_ = {path: second if second and path == "second" else w for path in inputs}
    calls = tuple(
        Call(
            path,
            "module",
            None,
            (*(TensorArg(with_[path][name]) for name in "qkvo"), TensorArg(x), TensorArg(places)),
        )
        for path, (x, places) in inputs.items()
    )

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            path: oracles.attention_rope(
                with_[path], x.astype(np.float64), places, n_head, theta, **knobs
            )
            for path, (x, places) in inputs.items()
        }

    return Trial(Probe(name, (made, read, *calls)), expect)
