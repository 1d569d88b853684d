"""Whether a file is right as an answer to step 05: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tests.graded import formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

LAYERS = (
    # n_head, head_dim, batch and the lengths of the texts given one after another
    (3, 5, 2, (4, 7, 4)),
    (5, 2, 3, (6, 1)),
    (2, 7, 1, (3, 9)),
    (1, 4, 2, (5,)),
    (4, 1, 2, (3,)),
    (12, 2, 2, (4,)),
    (12, 64, 1, (4,)),
    (3, 4, 4, (5,)),
    (1, 72, 1, (530,)),
    (26, 3, 2, (4,)),
    (32, 2, 2, (3,)),
    (2, 3, 33, (3,)),
    (3, 3, 3, (3,)),
    (3, 3, 2, (7,)),
    (2, 2, 2, (2, 2)),
    (4, 3, 2, (4,)),
    (3, 2, 3, (5,)),
    (2, 5, 4, (4, 5)),
    (3, 2, 2, (6,)),
    (2, 2, 4, (5, 5, 5)),
    (2, 3, 1, (1,)),
)

UNUSED = {"n_layer": 3, "initializer_range": 0.3, "attn_pdrop": 0.0, "resid_pdrop": 0.5}
"""Of a configuration: what changes nothing in a layer."""


def layer(cls: str) -> Callable[[types.ModuleType], Iterator[float]]:
    def layer(module: types.ModuleType) -> Iterator[float]:
        random = np.random.default_rng(20240501)
        for sizes in LAYERS:
            yield from _one_layer(getattr(module, cls), random, *sizes)
        yield from _far_scores(getattr(module, cls))

    return layer


def _far_scores(cls: Any) -> Iterator[float]:
    """One head, whose scores are the second feature times the sign of the first."""
    from solutions.solution_01 import GPT2Config

    width = 4
    fused = np.zeros((3 * width, width), np.float32)
    fused[0, 0], fused[width, 1] = 2.0, 1.0  # the root of the width, and a feature of the key
    fused[2 * width :] = np.eye(width)
    weights = {"c_attn.weight": fused, "c_attn.bias": np.zeros(3 * width, np.float32)}
    weights |= {"c_proj.weight": np.eye(width, dtype=np.float32)}
    weights |= {"c_proj.bias": np.zeros(width, np.float32)}
    x = np.zeros((6, 4, width), np.float32)
    x[0] = [[1, -41, 0, 1], [1, -40, 0, 2], [1, -42, 0, 3], [-1, 43, 1e7, 4]]
    x[1] = [[1, 79, 0, 1], [1, 78, 0, 2], [1, 71, 0, 3], [1, 76, 0, 4]]
    x[2] = [[1, -85, 0, 1], [1, -86, 0, 2], [1, -84, 0, 3], [1, -300, 1e30, 4]]
    x[3] = [[1, -1000, 0, 1], [1, -999, 0, 2], [1, -998, 0, 3], [-1, 1000, 1e30, 4]]
    x[4] = [[1, 998, 0, 1], [1, -900, 0, 2], [1, 1000, 0, 3], [1, 999, 0, 4]]
    x[5] = [[0, 5, 0, 1], [0, 5, 0, 2], [1, 0, 0, 3], [0.01, 0.5, 0, 4]]
    layer = tools.staged(lambda: cls(GPT2Config(n_embd=width, n_head=1)))
    tools.load(layer, weights)
    have = tools.read(_output(layer, x), "scores far from 0")
    want = formulas.layer(x.astype(np.float64), weights, 1)
    seen = [0, 2, 3]  # of the second feature the value is the key
    yield tools.off(have[..., seen], want[..., seen], "scores far from 0")


def _one_layer(
    cls: Any, random: Any, n_head: int, head_dim: int, batch: int, lengths: tuple[int, ...]
) -> Iterator[float]:
    from solutions.solution_01 import GPT2Config

    width = n_head * head_dim
    spread = 1.5 / width**0.5
    weights = {
        "c_attn.weight": random.normal(0, spread, (3 * width, width)).astype(np.float32),
        "c_attn.bias": random.normal(0, 0.5, 3 * width).astype(np.float32),
        "c_proj.weight": random.normal(0, spread, (width, width)).astype(np.float32),
        "c_proj.bias": random.normal(0, 0.5, width).astype(np.float32),
    }
    other: dict[str, Any] = UNUSED if batch == 2 else {}
    config = GPT2Config(n_embd=width, n_head=n_head, **other)
    layer = tools.staged(lambda: cls(config))
    if config != GPT2Config(n_embd=width, n_head=n_head, **other):
        raise Wrong("the configuration is changed")
    tools.load(layer, weights)
    twin = tools.staged(lambda: cls(config))  # of the same size, with other weights
    tools.load(twin, tools.turned(weights))
    tools.staged(lambda: cls(GPT2Config(n_embd=width, n_head=1)))  # changes nothing either
    for more, seq in ((1, lengths[0]), *((0, seq) for seq in lengths)):
        x = random.normal(0, 1, (batch + more, seq, width)).astype(np.float32)
        what = f"the output (n_head {n_head}, head_dim {head_dim}, batch {batch}, seq {seq})"
        want = formulas.layer(x.astype(np.float64), weights, n_head)
        yield tools.off(_output(layer, x), want, what)
    others = {name: array[::-1] for name, array in weights.items()}
    _load_again(layer, others)
    y = _output(layer, x)  # the last text once more
    want = formulas.layer(x.astype(np.float64), others, n_head)
    yield tools.off(y, want, f"with other weights, {what}")
    if width > 1:
        shapes = [(batch, seq, width) for seq in lengths if seq > 1]
        yield from _clipped(layer, random, weights, n_head, shapes)


def _clipped(
    layer: Any, random: Any, weights: dict[str, Any], n_head: int, shapes: Sequence[Any]
) -> Iterator[float]:
    """Scores that would be clipped, and behind them one that a finite mask would not hide."""
    steered = _steered(weights, n_head)
    _load_again(layer, steered)
    for shape in shapes:
        x = random.normal(0, 1, shape).astype(np.float32)
        x[..., 0] = random.uniform(-57, -53, shape[:2])
        x[:, -1, :2] = 20, 1e10
        have = tools.read(_output(layer, x), "y")
        want = formulas.layer(x.astype(np.float64), steered, n_head)
        seen = slice(0, -1)  # the last token sees itself
        yield tools.off(have[:, seen], want[:, seen], f"far scores, {shape}")


def _output(layer: Any, x: Any) -> Any:
    given = tools.tensor(x)
    return tools.staged(lambda: layer(given))


def _load_again(layer: Any, weights: dict[str, Any]) -> None:
    """Other weights, after a call; a mask that the layer has kept is a parameter too, and stays."""
    kept = {name: value for name, value in layer.parameters if name not in weights}
    layer.load_state_dict(kept | {name: array.copy() for name, array in weights.items()})


def _steered(weights: dict[str, Any], n_head: int) -> dict[str, Any]:
    """Weights whose scores grow with feature 0 of a key's token, and values with feature 1."""
    found = {name: array.copy() for name, array in weights.items()}
    fused, bias = found["c_attn.weight"], found["c_attn.bias"]
    width = fused.shape[1]
    dim = width // n_head
    fused[: 2 * width, :2] = 0.0
    fused[2 * width :, 0] = 0.0
    for row in range(0, width, dim):
        fused[[row, width + row]] = 0.0
        bias[row], bias[width + row], fused[width + row, 0] = dim**0.5, 0.0, 1.0
    return found


trial = layer("GPT2Attention")
