"""Whether a file is right as an answer to step 06: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tests.graded import other_formulas as formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

LONGEST, FAR, FARTHER, FARTHEST = 64, 1500, 4100, 140_000

ROTATIONS = (
    # leading dimensions, seq, d_k, shape of the positions without seq, theta
    ((), 5, 6, (), 100.0),
    ((3,), 4, 8, (3,), 37.0),
    ((3,), 6, 4, (), 10000.0),
    ((2, 3), 5, 10, (2, 1), 250.0),
    ((4,), 3, 2, (4,), 60.0),
    # lengths that are equal, or one; other bases
    ((4,), 4, 6, (), 45.0),
    ((2,), 1, 4, (2,), 50.0),
    ((), 2, 2, (), 35.0),
    ((3,), 4, 4, (3,), 30.0),
    ((), 5, 6, (), 2.5),
    ((2,), 5, 6, (), 500000.0),
    ((1,), 4, 6, (1,), 33.0),
    ((5,), 3, 6, (5,), 44.0),
    ((4,), 3, 8, (4,), 55.0),
    ((2,), 3, 160, (2,), 10000.0),
    ((), 4, 12, (), 30.0),
    ((2,), 4, 12, (), 30.0),
    ((2, 2), 3, 4, (2,), 30.0),
)

LAYERS = (
    # num_heads, d_k, leading dimensions, seq, shape of the positions without seq, theta
    (3, 4, (), 6, (), 90.0),
    (2, 6, (3,), 5, (3,), 40.0),
    (5, 2, (2,), 4, (), 10000.0),
    (3, 2, (2, 4), 5, (2, 4), 70.0),
    (2, 4, (3, 2), 1, (), 55.0),
    (1, 8, (2,), 7, (2,), 150.0),
    (1, 2, (), 300, (), 80.0),
    (3, 4, (3,), 5, (3,), 60.0),
    (4, 2, (2,), 4, (2,), 65.0),
    (2, 4, (1,), 5, (1,), 75.0),
    (2, 2, (3,), 4, (3,), 85.0),
    (3, 2, (6,), 4, (6,), 95.0),
    (2, 4, (3,), 4, (3,), 25.0),
    (2, 2, (2, 1, 3), 4, (), 35.0),
    (2, 4, (3, 3), 4, (3, 3), 45.0),
    # other widths and longer tables of an earlier base
    (2, 4, (3,), 5, (3,), 40.0),
    (3, 6, (), 5, (), 40.0),
)


def trial(module: types.ModuleType) -> Iterator[float]:
    random = tools.generator(61)
    for leading, seq, d_k, before, theta in ROTATIONS:
        x = random.normal(0, 1, (*leading, seq, d_k)).astype(np.float32)
        longest = {8: FAR, 4: FARTHER, 12: FARTHEST if leading else LONGEST}.get(d_k, LONGEST)
        places = random.integers(0, longest, (*before, seq))
        places[..., -1] = longest - 1
        if longest == FARTHEST and seq > 2:
            places[..., 0], places[..., 1] = 60_001, 131_075
        layer = tools.made_module(module.RotaryEmbedding, d_k, longest, theta)
        tools.made_module(module.RotaryEmbedding, d_k, longest, theta + 1)  # it changes nothing
        if list(layer.parameters):
            raise Wrong("the rotation has parameters")
        tools.call(layer, x, places)
        have = tools.read(tools.call(layer, x, places.astype(np.int32)), "a rotation")
        again = tools.read(tools.call(layer, x, places), "a rotation")
        yield tools.off(again, have, "a second call")
        wide = np.broadcast_to(places, x.shape[:-1]).reshape(-1, seq)
        flat = x.astype(np.float64).reshape(-1, seq, d_k)
        want = np.stack(
            [formulas.rotated(one, row, theta) for one, row in zip(flat, wide, strict=True)]
        ).reshape(x.shape)
        yield tools.off(have, want, f"a rotation of {x.shape} at {places.shape}")
    for sizes in LAYERS:
        yield from _one_rope_layer(module, random, *sizes)
    yield from _far_below(module)


def _far_below(module: types.ModuleType) -> Iterator[float]:
    """One head at position 0. The score of a token is its second feature, one of them far below."""
    width = 4
    weights = {name: np.eye(width, dtype=np.float32) for name in "qkvo"}
    weights["q"], weights["k"] = (np.zeros((width, width), np.float32) for _ in range(2))
    weights["q"][0, 0], weights["k"][0, 1] = 2.0, 1.0  # the root of the width
    x = np.array([[1, -85, 0, 1], [1, -86, 0, 2], [1, -84, 0, 3], [1, -300, 1e30, 4]], np.float32)
    layer = tools.made_module(module.MultiHeadSelfAttentionRoPE, width, 1, LONGEST, 50.0)
    places = np.zeros(4, np.int64)
    have = tools.read(tools.call(layer, *weights.values(), x, places), "scores far below")
    want = formulas.rope_layer(tools.exact(weights), x.astype(np.float64), places, 1, 50.0)
    seen = [0, 2, 3]  # of the second feature the value is the key
    yield tools.off(have[..., seen], want[..., seen], "scores far below")


def _one_rope_layer(
    module: types.ModuleType,
    random: Any,
    n_head: int,
    d_k: int,
    leading: tuple[int, ...],
    seq: int,
    before: tuple[int, ...],
    theta: float,
) -> Iterator[float]:
    width = n_head * d_k
    weights: Mapping[str, Any] = {
        name: random.normal(0, 1.5 / width**0.5, (width, width)).astype(np.float32)
        for name in "qkvo"
    }
    longest = max(LONGEST, seq) if leading else FARTHER
    layer = tools.made_module(module.MultiHeadSelfAttentionRoPE, width, n_head, longest, theta)
    if list(layer.parameters):
        raise Wrong("the layer has parameters")
    kinds = (np.int64, np.int64, np.int32)
    for kind, length in (*((kind, seq) for kind in kinds), (np.int64, seq + 2), (np.int64, seq)):
        weights = tools.turned(weights)
        x = random.normal(0, 1, (*leading, length, width)).astype(np.float32)
        places = longest - 1 - random.integers(0, LONGEST, (*before, length), kind)
        have = tools.call(layer, *weights.values(), x, places)
        exact = tools.exact(weights)
        want = formulas.rope_layer(exact, x.astype(np.float64), places, n_head, theta)
        yield tools.off(have, want, f"the output for {x.shape} at {places.shape}")
