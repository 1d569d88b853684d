"""Random trials of ``RotaryEmbedding`` and ``MultiHeadSelfAttentionRoPE``.

Positions are out of order and do not start at 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from checks.shared.attention import Floats
from checks.shared.large_scores import SLACK, extreme, steer
from checks.shared.random_inputs import Array, Rng, long, nonzero, normal
from checks.step_06 import oracle as oracles
from checks.step_06.oracle import Ints
from grader.rubric import Call, Load, Make, Probe, Read, TensorArg, Trial, in_turn

ROPE, LAYER = "RotaryEmbedding", "MultiHeadSelfAttentionRoPE"
LONGEST = 48
"""``max_seq_len`` of the trials. Positions stay two below it, so that counting from 1 gives wrong
numbers and no error."""


def draw(rng: Rng) -> list[Trial]:
    """Rotations by themselves, then whole layers."""
    return [
        *_rotations(rng),
        *_rotations_in_turn(rng),
        _parameters(),
        _distance(rng),
        *_layers(rng),
        *_layers_in_turn(rng),
        _no_weights(),
        _calls(rng),
    ]


def _rotations_in_turn(rng: Rng) -> list[Trial]:
    """Rotations of equal lengths or of one, two in turn, each of two texts of the same shape.

    One has a long table, and positions up to its end, after a short table of the same base.
    """
    shapes = ((4, 4, 4), (2, 1, 4), (1, 3, 2), (4, 3, 6), (2, 2, 2, 8), (5, 1, 3, 2))
    each = []
    for index, shape in enumerate(shapes):
        base = _theta(rng) if index in (2, 4) else 10_000.0
        longest = TABLE if index == 1 else LONGEST
        shared = index % 3 == 2
        given = {}
        for name in ("first", "second") if shared else ("first", "second", "third"):
            some = shape[1:-1] if name == "third" and len(shape) == 4 else shape[:-1]
            places = _positions(rng, shape[-2]) if shared else _positions(rng, *some)
            if longest == TABLE and name == "second":
                places[..., -1] = TABLE - 2
            given[name] = (normal(rng, *shape), places)
        each.append(_several(f"rope-{index}", shape[-1], base, given, longest))
    return [
        in_turn(f"rope-turn-{index}", dict(zip("ab", pair, strict=True)))
        for index, pair in enumerate(zip(each[::2], each[1::2], strict=True), start=1)
    ]


TABLE = 4100
"""Positions of a long table. A text of 4096 tokens, as many models read, ends before its end."""


def _several(
    name: str, d_k: int, base: float, given: dict[str, tuple[Array, Ints]], longest: int
) -> Trial:
    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            path: oracles.rotate(x.astype(np.float64), places, base, **knobs)
            for path, (x, places) in given.items()
        }

    calls = (_turn(path, x, places) for path, (x, places) in given.items())
    return Trial(Probe(name, (_rope(d_k, base, longest), *calls)), expect)


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
    base = _theta(rng)
    for index, (n_head, d_k, leading, second, length) in enumerate(sizes):
        w, x = weights(rng, n_head * d_k), normal(rng, *leading, n_head * d_k)
        y = normal(rng, leading[0], second, n_head * d_k)
        others = weights(rng, n_head * d_k)
        steer(others["q"], others["k"], others["v"], n_head)
        flat = {"flat": (normal(rng, length, n_head * d_k), _positions(rng, length))}
        positions = leading[index == SHARED :]
        later = LONGEST if index == LATER else 0
        places = _positions(rng, *positions) + later
        deep = {"deep": (normal(rng, *x.shape)[:, None], np.expand_dims(places, -2))}
        given = {
            "first": (x, _positions(rng, *positions)),
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


def _theta(rng: Rng) -> float:
    """A base far from 10000, with which all pairs turn visibly."""
    return float(rng.integers(20, 300))


def _positions(rng: Rng, *shape: int) -> Ints:
    """Positions without repetition in a row, in any order, 0 not among them."""
    rows = [rng.permutation(np.arange(1, LONGEST - 1))[: shape[-1]] for _ in range(_count(shape))]
    return np.asarray(rows).reshape(shape)


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape[:-1], dtype=int))


def _rotations(rng: Rng) -> list[Trial]:
    """``RotaryEmbedding`` on 2-D to 4-D inputs, with positions for one, each or all texts."""
    zeros = np.zeros(4, dtype=np.int64)
    return [
        _rotation(rng, "rope-2d", (5, 6), _positions(rng, 5)),
        _rotation(rng, "rope-texts", (3, 5, 4), _positions(rng, 3, 5)),
        _rotation(rng, "rope-shared", (3, 7, 200), _positions(rng, 7).astype(np.int32)),
        _rotation(rng, "rope-heads", (2, 3, 4, 10), _positions(rng, 2, 1, 4)),
        _rotation(rng, "rope-pair", (4, 3, 2), _positions(rng, 4, 3).astype(np.int32)),
        _rotation(rng, "rope-usual", (2, 6, 8), _positions(rng, 6), theta=10_000.0),
        _rotation(rng, "rope-slow", (2, 5, 8), _positions(rng, 5), theta=500_000.0),
        _rotation(rng, "rope-fast", (2, 3, 6), _positions(rng, 3), theta=2.5),
        _rotation(rng, "rope-equal", (4, 4, 6), _positions(rng, 4)),
        _rotation(rng, "start", (2, 4, 6), zeros),
        _last(rng),
        _far_away(rng),
    ]


def _rotation(
    rng: Rng, name: str, shape: tuple[int, ...], positions: Ints, *, theta: float | None = None
) -> Trial:
    base = _theta(rng) if theta is None else theta
    x = normal(rng, *shape)
    exact = x.astype(np.float64)
    actions = (_rope(shape[-1], base), _turn("out", x, positions))

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {"out": oracles.rotate(exact, positions, base, **knobs)}

    return Trial(Probe(name, actions), expect)


def _last(rng: Rng) -> Trial:
    """The last position of the table."""
    return _rotation(rng, "last", (1, 4), np.array([LONGEST - 1]), theta=50.0)


FARTHEST = 140_000
"""Positions of the longest table: more than the 128 Ki tokens that models read today."""


def _far_away(rng: Rng) -> Trial:
    """Positions whose angles float32 cannot hold: its numbers near 60,000 are 0.004 apart."""
    places = np.array([60_000, 131_073, 99_999, FARTHEST - 2])
    return _several("rope-far", 12, 10_000.0, {"out": (normal(rng, 4, 12), places)}, FARTHEST)


def _parameters() -> Trial:
    """The layer has none, so an empty set of weights loads."""
    return Trial(Probe("parameters", (_rope(6, 100.0), Load("loaded", "rope", {}))))


def _no_weights() -> Trial:
    """The layer has none either: they are arguments of each call."""
    made = Make("module", LAYER, (6, 3, LONGEST, 50.0))
    return Trial(Probe("layer-empty", (made, Load("loaded", "module", {}))))


def _distance(rng: Rng) -> Trial:
    """Queries and keys at some positions, and the same ones further on in the text."""
    theta, shape = _theta(rng), (2, 6, 8)
    query, key = normal(rng, *shape), normal(rng, *shape)
    places = rng.permutation(np.arange(0, LONGEST // 2 - 1))[:6]
    further = places + int(rng.integers(5, LONGEST // 2 - 1))
    given = {
        "query": (query, places),
        "key": (key, places),
        "far_query": (query, further),
        "far_key": (key, further),
    }

    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            name: oracles.rotate(x.astype(np.float64), place, theta, **knobs)
            for name, (x, place) in given.items()
        }

    calls = (_turn(name, x, place) for name, (x, place) in given.items())
    return Trial(Probe("distance", (_rope(shape[-1], theta), *calls)), expect)


def _rope(d_k: int, theta: float, longest: int = LONGEST) -> Make:
    return Make("rope", ROPE, (d_k, longest, theta))


def _turn(name: str, x: Array, positions: Ints) -> Call:
    return Call(name, "rope", None, (TensorArg(x), TensorArg(positions)))


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
    d_model, theta = n_head * d_k, _theta(rng)
    w, x = weights(rng, d_model), normal(rng, *leading, d_model)
    places = _positions(rng, *positions)
    if len(positions) == 1:
        places = places.astype(np.int32)
    inputs = {"out": (x, places)}
    return _layer_trial(name, w, n_head, theta, inputs)


def _long(rng: Rng) -> Trial:
    """One text without leading dimensions, too long for a mask or a table of a fixed size."""
    n_head, d_k, seq = 2, 4, long(rng)
    x, places = normal(rng, seq, n_head * d_k), LATE - 2 - rng.permutation(seq)
    w = weights(rng, n_head * d_k)
    return _layer_trial("layer-2d", w, n_head, _theta(rng), {"out": (x, places)}, LATE)


LATE = 5_000
"""``max_seq_len`` of the layer whose positions are the last ones."""


def _calls(rng: Rng) -> Trial:
    """One layer called on a text, on the same text elsewhere, with a changed end, and again.

    Each text has positions of its own.
    """
    n_head, d_k, batch, seq = 2, 4, 8, 5
    d_model, theta = n_head * d_k, _theta(rng)
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
