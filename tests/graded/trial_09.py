"""Whether a file is right as an answer to step 09: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.graded import gpt2_formulas as formulas
from tests.graded import trial_tools as tools
from tests.graded.trial_tools import Wrong

BLOCKS: tuple[tuple[dict[str, Any], tuple[int, int]], ...] = (
    ({"n_embd": 15, "n_head": 3}, (2, 4)),
    ({"n_embd": 8, "n_head": 4, "n_inner": 5}, (3, 6)),
    ({"n_embd": 6, "n_head": 2, "layer_norm_epsilon": 0.2}, (1, 1)),
    ({"n_embd": 4, "n_head": 2, "layer_norm_epsilon": 0.2}, (2, 2)),
    ({"n_embd": 3, "n_head": 3, "n_inner": 3}, (3, 1)),
    ({"n_embd": 9, "n_head": 3}, (2, 3)),
    ({"n_embd": 4, "n_head": 1, "n_inner": 7}, (4, 1)),
    ({"n_embd": 8, "n_head": 2, "n_inner": 20, "layer_norm_epsilon": 0.4}, (4, 5)),
    ({"n_embd": 5, "n_head": 1}, (1, 5)),
    ({"n_embd": 4, "n_head": 2, "n_inner": 40}, (2, 3)),
    ({"n_embd": 6, "n_head": 3, "n_layer": 3, "initializer_range": 0.3}, (2, 4)),
)


NETWORKS = (
    # width, inner width, leading dimensions
    *((6, 9, (4,)), (4, 17, (2, 3)), (10, 30, (1, 2, 2)), (4, 4, (4,)), (5, 2, (5, 1))),
    *((1, 6, (6, 2)), (3, 1, (1, 4)), (2, 8, (3,)), (7, 28, (2, 1, 3)), (6, 90, (3,))),
    *((2, 3072, (2,)), (6, 12, ()), (2, 4, (1, 200))),
)


def trial(module: types.ModuleType) -> Iterator[float]:
    random = tools.generator(91)
    for sizes in NETWORKS:
        yield from _network(module, random, *sizes)
    for fields, size in BLOCKS:
        yield from _block(module, random, fields, size)


def _network(
    module: types.ModuleType, random: Any, width: int, inner: int, shape: tuple[int, ...]
) -> Iterator[float]:
    from solutions.solution_01 import GPT2Config

    weights = tools.weights(random, tools.mlp_shapes(width, inner))
    weights["c_fc.bias"] = weights["c_fc.bias"] - 1.5
    config = GPT2Config(n_embd=width, n_head=2, n_inner=inner + 1)  # the argument counts
    layer = tools.loaded(module.GPT2MLP, weights, inner, config)
    tools.loaded(module.GPT2MLP, tools.turned(weights), inner, GPT2Config(n_embd=width, n_head=2))
    w = tools.exact(weights)
    for _ in range(3):
        x = random.normal(0, 1, (*shape, width)).astype(np.float32)
        want = formulas.rows(x.astype(np.float64), lambda v: formulas.feed(v, w))
        yield tools.off(tools.call(layer, x), want, "GPT2MLP")
    far = x * np.float32(1000)
    want = formulas.rows(far.astype(np.float64), lambda v: formulas.feed(v, w))
    yield tools.off(tools.call(layer, far), want, "far numbers")


def _block(
    module: types.ModuleType, random: Any, fields: dict[str, Any], size: tuple[int, int]
) -> Iterator[float]:
    from solutions.solution_01 import GPT2Config

    width = fields["n_embd"]
    weights = tools.weights(random, tools.block_shapes(width, fields.get("n_inner", 4 * width)))
    config = GPT2Config(**fields)
    layer = tools.loaded(module.GPT2Block, weights, config)
    tools.loaded(module.GPT2Block, tools.turned(weights), config)  # of the same size
    if config != GPT2Config(**fields):
        raise Wrong("the configuration is changed")
    eps = fields.get("layer_norm_epsilon", 1e-5)
    for _ in range(3):
        x = random.normal(0.4, 1.5, (*size, width)).astype(np.float32)
        want = formulas.block(x.astype(np.float64), weights, fields["n_head"], eps)
        yield tools.off(tools.call(layer, x), want, f"GPT2Block({fields})")
    x[..., -1, :2] += [300, -300]
    want = formulas.block(x.astype(np.float64), weights, fields["n_head"], eps)
    yield tools.off(tools.call(layer, x), want, f"GPT2Block({fields}), far numbers")
