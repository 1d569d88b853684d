"""Random trials of ``scaled_dot_product_attention``, and the text of the lesson.

Lengths and widths differ, or are equal, or 1, as a plan says: a mistake about a dimension hides
where two are equal, and another is made only there.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from checks.shared.attention import Floats, linear, split_heads
from checks.shared.large_scores import LARGEST, SLACK
from checks.shared.random_inputs import Array, Rng, normal
from checks.step_03 import oracle as oracles
from grader.rubric import Arg, Call, Case, Probe, TensorArg, Trial, covering, in_turn

NAME = "scaled_dot_product_attention"
EXAMPLE = Path(__file__).resolve().parents[2] / "steps" / "data" / "she_loves_cats.json"


def draw(rng: Rng) -> list[Trial]:
    """Calls without a mask, calls with masks of several shapes, and "She loves cats"."""
    cases = covering(AXES)
    cases += [case for case in [*_equal(), *covering(PAIRS)] if case not in cases]
    masked = [_planned(rng, index, case) for index, case in enumerate(cases) if case["mask"]]
    plain = [_planned(rng, index, case) for index, case in enumerate(cases) if not case["mask"]]
    planned = [*_groups("masked-plan", masked), *_groups("plain-plan", plain)]
    return [*_plain(rng), *_masked(rng), *planned, _trial("she-loves-cats", *example())]


GROUP = 6
"""Calls of one trial: they are staged together, and a graph of its own costs more than a call."""


def _groups(name: str, trials: Sequence[Trial]) -> list[Trial]:
    return [
        in_turn(
            f"{name}-{begin // GROUP + 1}",
            {one.probe.name: one for one in trials[begin : begin + GROUP]},
        )
        for begin in range(0, len(trials), GROUP)
    ]


AXES = {
    "lengths": (
        # leading, queries, keys, head_dim, value_dim
        (3, 3, 3, 3, 3),
        (2, 4, 5, 1, 6),
        (2, 1, 4, 3, 1),
        (4, 5, 1, 2, 3),
        (1, 3, 4, 6, 2),
        (3, 2, 5, 4, 1),
    ),
    "mask": (None, "least", "most"),
    "leading": (0, 1, 2, 3),
}
"""``mask`` "least" has fewer dimensions than the scores, "most" has all of them."""

PAIRS = {
    "lengths": (
        (2, 2, 4, 5, 4),
        (3, 4, 3, 5, 4),
        (2, 3, 3, 5, 2),
        (4, 3, 2, 4, 5),
        (2, 4, 3, 4, 5),
        (2, 3, 4, 4, 5),
        (2, 3, 4, 5, 5),
    ),
    "mask": (None, "most"),
    "leading": (1, 2),
}
"""Every two lengths are equal in one of these, and unlike the others.

What equals head_dim is alone: a scale by it would not show there.
"""


def _equal() -> list[Case]:
    """Equal lengths with every mask and every number of leading dimensions."""
    return [
        {"lengths": AXES["lengths"][0], "mask": mask, "leading": leading}
        for mask, leading in itertools.product(AXES["mask"], AXES["leading"])
    ]


def _planned(rng: Rng, index: int, case: Case) -> Trial:
    first, queries, keys, head_dim, value_dim = case["lengths"]
    leading = (first, 2, 1)[: case["leading"]]
    inputs = _inputs(rng, leading, queries, keys, head_dim, value_dim)
    if case["mask"] is None:
        return _trial(f"plain-{index}", *inputs)
    shape: tuple[int, ...] = (*leading, queries, keys)
    if case["mask"] == "least" and len(leading) == 2:
        shape = (queries, keys) if first == queries == keys else (*leading[1:], queries, keys)
    elif case["mask"] == "least":
        shape = (1, keys) if index % 2 else (keys,)
    hidden = rng.random(shape) < 0.4
    hidden[..., 0], hidden[..., -2:] = True, False
    if len(shape) > 1 and keys > 2:  # neighbouring rows and texts have other masks
        hidden[..., -2] = np.indices(shape[:-1]).sum(0) % 2 == 0
    mask = np.where(hidden, -np.inf, 0.0).astype(np.float32)
    return _trial(f"masked-{index}", *inputs, mask=mask, named=index % 3 == 0)


def _plain(rng: Rng) -> list[Trial]:
    """2-D, 3-D, 4-D and 5-D inputs, a single token, and scores far from 0."""
    five, seven, three, four = (int(n) for n in rng.permutation([5, 7, 3, 4]))
    return [
        _trial("plain-2d", *_inputs(rng, (), five, seven, three, four)),
        _trial("plain-3d", *_inputs(rng, (2,), four, five, seven, three)),
        _trial("plain-4d", *_inputs(rng, (2, 3), seven, four, 5, 6)),
        _trial("plain-5d", *_inputs(rng, (2, 1, 3), 4, 2, 5, 6)),
        _trial("plain-one", *_inputs(rng, (1, 2), 1, 1, 4, 5)),
        _trial("plain-sharp", *_inputs(rng, (2,), 6, 5, 9, 3, scale=2.5), slack=5.0),
        _trial("plain-wide", *_inputs(rng, (2,), 3, 4, 80, 96)),
        _trial("plain-equal", *_inputs(rng, (3, 3), 4, 2, 5, 6)),
        _extreme(rng),
        _hidden(rng),
        _repeated(rng),
    ]


def _extreme(rng: Rng) -> Trial:
    """Scores up to ±1000, some of them near each other: clipped ones are no longer apart.

    The keys of the second text score alike, and its queries are 2000 apart: one maximum for all of
    them is too far from some.
    """
    query, key, value = _inputs(rng, (2,), 3, 5, 4, 6)
    query[..., 1:] = 0.0
    query[..., 0] = [2.0, -2.0, 1.0]  # times the root of head_dim: the score is ± the key
    scores = [LARGEST, LARGEST - 1.5, LARGEST - 4.0, LARGEST - 9.0]
    key[..., 0] = rng.permuted([[*scores, -LARGEST], [*scores, LARGEST - 100.0]], axis=1)
    return _trial("plain-extreme", query, key, value, slack=SLACK)


def _hidden(rng: Rng) -> Trial:
    """A hidden key that scores 2000 more than the others, with a huge value: see ``large_scores``.

    In the second text another is visible and scores far less. Were its score clipped, its value
    would show.
    """
    query, key, value = _inputs(rng, (2,), 3, 5, 4, 6)
    query[..., 1:], query[..., 0] = 0.0, 2.0  # times the root of head_dim
    key[..., 0] = rng.uniform(-LARGEST, 4.0 - LARGEST, (2, 5))
    key[..., 2, 0], value[..., 2, 0] = LARGEST, 1e10
    key[1, [0, 1, 3], 0] += 200.0
    key[1, 4, 0], value[1, 4, 0] = -LARGEST, 1e30
    mask = np.zeros((3, 5), np.float32)
    mask[:, 2] = -np.inf
    far = _trial("", query, key, value, mask=mask, slack=SLACK)
    return in_turn("masked-far", {"far": far, "near": _near(rng)})


def _near(rng: Rng) -> Trial:
    """Scores of exactly 0, visible and hidden, and a mask with other numbers than 0 and −inf."""
    query, key, value = _inputs(rng, (2,), 3, 5, 4, 6)
    query[:, 0], key[:, 1], value[:, 3] = 0.0, 0.0, 0.0
    mask = np.array([[-1.5, 0, 0, -np.inf, 2], [0, 0, -np.inf, -1.5, -1.5], [0, 0, 0, 0, -1.5]])
    return _trial("", query, key, value, mask=mask.astype(np.float32))


def _repeated(rng: Rng) -> Trial:
    """Five calls on arrays of the same shapes: with one mask, another, and none between."""
    leading, queries, keys = (2, 3), 4, 5
    each = []
    for masked in (True, True, False, True, False):
        mask = np.where(rng.random((queries, keys)) < 0.5, -np.inf, 0.0).astype(np.float32)
        mask[:, 1] = 0.0
        inputs = _inputs(rng, leading, queries, keys, 6, 7)
        each.append(_trial("", *inputs, mask=mask if masked else None))
    return in_turn("masked-again", {f"call{index}": one for index, one in enumerate(each)})


MANY_KEYS = 1024
"""As many as GPT-2 has positions."""

WIDTH = 8
"""Of a head, in the trials with a mask."""


def _masked(rng: Rng) -> list[Trial]:
    """Masks of every shape that broadcasts, as later steps use them."""
    return [
        _with_mask(rng, "masked-causal", (2, 3), 5, 5, causal=True),
        _with_mask(rng, "masked-double", (3,), 4, 6, shape=(4, 6), kind=np.float64),
        _with_mask(rng, "masked-keys", (2, 3), 4, 7, shape=(2, 1, 1, 7)),
        _with_mask(rng, "masked-texts", (3, 2), 6, 4, shape=(3, 1, 6, 4)),
        _with_mask(rng, "masked-heads", (WIDTH, 3), 4, 6, shape=(3, 4, 6)),
        _with_mask(rng, "masked-named", (), 5, MANY_KEYS, shape=(5, MANY_KEYS), named=True),
        _with_mask(rng, "masked-square", (), 4, 4, shape=(4, 4)),
        _with_mask(rng, "masked-nothing", (2,), 3, 4, shape=(3, 1), visible=True),
    ]


def _inputs(
    rng: Rng,
    leading: tuple[int, ...],
    queries: int,
    keys: int,
    head_dim: int,
    value_dim: int,
    scale: float = 1.3,
) -> tuple[Array, Array, Array]:
    return (
        normal(rng, *leading, queries, head_dim, scale=scale),
        normal(rng, *leading, keys, head_dim, scale=scale),
        normal(rng, *leading, keys, value_dim),
    )


def _with_mask(
    rng: Rng,
    name: str,
    leading: tuple[int, ...],
    queries: int,
    keys: int,
    *,
    shape: tuple[int, ...] = (),
    causal: bool = False,
    named: bool = False,
    visible: bool = False,
    kind: type[np.floating] = np.float32,
) -> Trial:
    """A mask of ``shape`` that leaves each query a key to see: its first, and others by chance."""
    inputs = _inputs(rng, leading, queries, keys, WIDTH, WIDTH + 1)
    query, key, value = (x.astype(kind) for x in inputs)
    hidden = np.triu(np.ones((queries, keys)), 1) > 0 if causal else rng.random(shape) < 0.5
    hidden[..., 0] = False
    hidden[..., -1] |= not causal
    mask = np.where(hidden & (not visible), -np.inf, 0.0).astype(kind)
    return _trial(name, query, key, value, mask=mask, named=named)


def example(name: str = "she loves cats") -> tuple[Array, Array, Array]:
    """Query, key and value ``[n_head, seq, head_dim]`` of one of the lesson's experiments."""
    stored: dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    layer = {key: np.array(row) for key, row in stored[name]["layer"].items()}
    x = np.array(stored[name]["x"])  # [seq, embed_size]
    query, key, value = (
        split_heads(
            linear(x, layer[f"{made}.weight"], layer[f"{made}.bias"]), stored["num_heads"]
        ).astype(np.float32)
        for made in ("W_q", "W_k", "W_v")
    )
    return query, key, value


def _trial(
    name: str,
    query: Array,
    key: Array,
    value: Array,
    *,
    mask: Array | None = None,
    named: bool = False,
    slack: float = 1.0,
) -> Trial:
    args: list[Arg] = [TensorArg(array) for array in (query, key, value)]
    more: dict[str, Arg] = {}
    if mask is not None and named:
        more = {"mask": TensorArg(mask)}
    elif mask is not None:
        args.append(TensorArg(mask))
    q, k, v = (array.astype(np.float64) for array in (query, key, value))
    added = None if mask is None else mask.astype(np.float64)

    def expect(**knobs: Any) -> dict[str, Floats]:
        output, weights = oracles.scaled_dot_product_attention(q, k, v, added, **knobs)
        return {"out.0": output, "out.1": weights}

    return Trial(Probe(name, (Call("out", None, NAME, tuple(args), more),)), expect, slack=slack)
