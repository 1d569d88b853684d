"""Random trials of ``RotaryEmbedding``. Positions are out of order and do not start at 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from checks.shared.attention import Floats
from checks.shared.random_inputs import Array, Rng, normal
from checks.step_06 import oracle as oracles
from checks.step_06.oracle import Ints
from grader.rubric import Call, Load, Make, Probe, TensorArg, Trial, in_turn

ROPE = "RotaryEmbedding"
LONGEST = 48
"""``max_seq_len`` of the trials. Positions stay two below it, so that counting from 1 gives wrong
numbers and no error."""


def draw(rng: Rng) -> list[Trial]:
    """Rotations by themselves, then two in turn, and how far apart they turn."""
    return [*_rotations(rng), *_in_turn(rng), _parameters(), _distance(rng)]


def _in_turn(rng: Rng) -> list[Trial]:
    """Rotations of equal lengths or of one, two in turn, each of two texts of the same shape.

    One has a long table, and positions up to its end, after a short table of the same base.
    """
    shapes = ((4, 4, 4), (2, 1, 4), (1, 3, 2), (4, 3, 6), (2, 2, 2, 8), (5, 1, 3, 2))
    each = []
    for index, shape in enumerate(shapes):
        base = random_theta(rng) if index in (2, 4) else 10_000.0
        longest = TABLE if index == 1 else LONGEST
        shared = index % 3 == 2
        given = {}
        for name in ("first", "second") if shared else ("first", "second", "third"):
            some = shape[1:-1] if name == "third" and len(shape) == 4 else shape[:-1]
            places = random_positions(rng, shape[-2]) if shared else random_positions(rng, *some)
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
    name: str, d_k: int, base: float, given: dict[str, tuple[Array, Ints]], longest: int = LONGEST
) -> Trial:
    def expect(**knobs: Any) -> dict[str, Floats]:
        return {
            path: oracles.rotate(x.astype(np.float64), places, base, **knobs)
            for path, (x, places) in given.items()
        }

    calls = (_turn(path, x, places) for path, (x, places) in given.items())
    return Trial(Probe(name, (_rope(d_k, base, longest), *calls)), expect)


def random_theta(rng: Rng) -> float:
    """A base far from 10000, with which all pairs turn visibly."""
    return float(rng.integers(20, 300))


def random_positions(rng: Rng, *shape: int) -> Ints:
    """Positions without repetition in a row, in any order, 0 not among them."""
    rows = [rng.permutation(np.arange(1, LONGEST - 1))[: shape[-1]] for _ in range(_count(shape))]
    return np.asarray(rows).reshape(shape)


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape[:-1], dtype=int))


def _rotations(rng: Rng) -> list[Trial]:
    """``RotaryEmbedding`` on 2-D to 4-D inputs, with positions for one, each or all texts."""
    zeros = np.zeros(4, dtype=np.int64)
    return [
        _rotation(rng, "rope-2d", (5, 6), random_positions(rng, 5)),
        _rotation(rng, "rope-texts", (3, 5, 4), random_positions(rng, 3, 5)),
        _rotation(rng, "rope-shared", (3, 7, 200), random_positions(rng, 7).astype(np.int32)),
        _rotation(rng, "rope-heads", (2, 3, 4, 10), random_positions(rng, 2, 1, 4)),
        _rotation(rng, "rope-pair", (4, 3, 2), random_positions(rng, 4, 3).astype(np.int32)),
        _rotation(rng, "rope-usual", (2, 6, 8), random_positions(rng, 6), theta=10_000.0),
        _rotation(rng, "rope-slow", (2, 5, 8), random_positions(rng, 5), theta=500_000.0),
        _rotation(rng, "rope-fast", (2, 3, 6), random_positions(rng, 3), theta=2.5),
        _rotation(rng, "rope-equal", (4, 4, 6), random_positions(rng, 4)),
        _rotation(rng, "start", (2, 4, 6), zeros),
        _last(rng),
        _far_away(rng),
    ]


def _rotation(
    rng: Rng, name: str, shape: tuple[int, ...], positions: Ints, *, theta: float | None = None
) -> Trial:
    base = random_theta(rng) if theta is None else theta
    return _several(name, shape[-1], base, {"out": (normal(rng, *shape), positions)})


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


def _distance(rng: Rng) -> Trial:
    """Queries and keys at some positions, and the same ones further on in the text."""
    theta, shape = random_theta(rng), (2, 6, 8)
    query, key = normal(rng, *shape), normal(rng, *shape)
    places = rng.permutation(np.arange(0, LONGEST // 2 - 1))[:6]
    further = places + int(rng.integers(5, LONGEST // 2 - 1))
    given = {
        "query": (query, places),
        "key": (key, places),
        "far_query": (query, further),
        "far_key": (key, further),
    }
    return _several("distance", shape[-1], theta, given)


def _rope(d_k: int, theta: float, longest: int = LONGEST) -> Make:
    return Make("rope", ROPE, (d_k, longest, theta))


def _turn(name: str, x: Array, positions: Ints) -> Call:
    return Call(name, "rope", None, (TensorArg(x), TensorArg(positions)))
