"""Whether a file is right as an answer to step 08: see :mod:`tests.graded.direct`."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tests.graded import other_formulas as formulas
from tests.graded import trial_tools as tools

NORMS = (
    # shape, eps or None, scale and shift of the input
    ((4, 6), None, 1.0, 0.0),
    ((2, 3, 7), 0.4, 0.5, 1.0),
    ((2, 3, 4, 5), 2.0, 1.0, 0.0),
    ((3, 8), None, 3e-3, 0.0),
    ((2, 4, 16), 1e-2, 0.1, 4.0),
    ((2, 2, 2), 0.3, 1.0, 0.0),
    ((1, 3, 3), None, 1.0, 0.0),
    ((3, 1, 2), 1e-5, 1e-5, 0.0),
    ((5, 2, 1), None, 1.0, 0.0),
    ((3, 4, 3), 0.2, 2.0, 0.0),
    ((4, 4), 1e-12, 1e-5, 0.0),
    ((6,), None, 1.0, 0.0),
    ((2, 768), None, 1.0, 0.0),
    ((3, 6), 0.1, 40.0, 0.0),
    ((2, 1, 1, 3, 4), 0.3, 1.0, 0.0),
    ((3, 8), None, 1.0, 3000.0),
)


def trial(module: types.ModuleType) -> Iterator[float]:
    random = tools.generator(81)
    for shape, eps, scale, shift in NORMS:
        x = random.normal(shift, scale, shape).astype(np.float32)
        if len(shape) > 1 and eps != 1e-12:  # it makes 1e6 of what is rounded away
            x[:1] = np.float32(0.75)
        if shape[-1] == 768:
            x[..., 5] = 1000.0
        more = {} if eps is None else {"eps": eps}
        usual = 1e-5 if eps is None else eps
        times = 1.0 + shift / scale / 100  # as much as rounding to float32 changes a mean
        layer = tools.made_module(module.LayerNorm, shape[-1], **more)
        tools.made_module(module.LayerNorm, shape[-1], eps=usual + 1)  # it changes nothing
        ones, zeros = np.ones(shape[-1]), np.zeros(shape[-1])
        have = tools.call(layer, x)
        want = formulas.normalized(x.astype(np.float64), ones, zeros, usual)
        yield tools.off(have, want, f"a fresh layer's output for {shape}", times)
        given = _affine(random, shape[-1])
        tools.load(layer, given)
        have = tools.call(layer, x)
        want = _formula(x.astype(np.float64), given, usual)
        yield tools.off(have, want, f"the output for {shape}, eps {eps}", times)
        for call in (3, 4):
            y = random.normal(shift, scale, shape).astype(np.float32)
            have = tools.call(layer, y)
            want = _formula(y.astype(np.float64), given, usual)
            what = f"the output of call {call} for {shape}"
            yield tools.off(have, want, what, times)
    shapes = ((2, 3, 5), (1, 4, 6), (3, 3, 3), (4, 1, 2), (2, 5), (3, 1), (2, 2, 4), (5, 4, 5))
    for shape in shapes:
        yield from _residual(module, random, shape)


def _affine(random: Any, dim: int) -> dict[str, Any]:
    return {
        "weight": random.normal(1, 0.6, dim).astype(np.float32),
        "bias": random.normal(0, 0.6, dim).astype(np.float32),
    }


def _formula(x: Any, given: Mapping[str, Any], eps: float) -> Any:
    weight, bias = (given[name].astype(np.float64) for name in ("weight", "bias"))
    return formulas.normalized(x, weight, bias, eps)


def _residual(module: types.ModuleType, random: Any, shape: tuple[int, ...]) -> Iterator[float]:
    """With functions of ours in the places of the two layers, which the file cannot know."""
    x = random.normal(0, 1.5, shape).astype(np.float32)

    def norm(t: Any) -> Any:
        return t * 0.5 - 0.25

    out = tools.call(module.residual, x, norm, lambda t: t * t + 1.0)
    again = tools.call(module.residual, x, norm, lambda t: t * 3.0)
    exact = x.astype(np.float64)
    want = exact + (exact * 0.5 - 0.25) ** 2 + 1.0
    other = exact + (exact * 0.5 - 0.25) * 3.0
    yield tools.off(again, other, "a second sum")
    third = tools.call(module.residual, x + 1, norm, lambda t: t * 3.0)
    other = exact + 1 + (exact * 0.5 + 0.25) * 3.0
    yield tools.off(third, other, "a third sum")
    yield tools.off(out, want, "the residual sum")
