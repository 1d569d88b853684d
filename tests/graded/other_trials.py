"""Whether a file is right as an answer to step 03, 04, 06 or 08: see :mod:`tests.graded.direct`.

``python -m tests.graded.other_trials s03 FILE…`` prints one line a file.

Longer than 300 lines, because it has the independent trials of five steps.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any

from tests.graded import direct
from tests.graded.direct import Wrong, _off, _read


def _tensor(array: Any) -> Any:
    from max.experimental.tensor import Tensor

    return Tensor.from_dlpack(array.copy())


def _call(function: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """The answer, staged as one graph where that goes, else operation by operation."""
    from max.experimental import functional as F

    try:
        with F.lazy():
            answer = function(*args, **more)
        for one in answer if isinstance(answer, tuple | list) else [answer]:
            one.to_numpy()
        return answer
    except Exception:  # noqa: BLE001  a learner's code may raise anything
        return function(*args, **more)


def _random(seed: int) -> Any:
    import numpy as np

    return np.random.default_rng(seed)


# ---- step 03 -------------------------------------------------------------------------------

FAR_SCORES = 3, 5, 4
"""Queries, keys and width of the inputs whose scores are near 60."""
INPUTS = (
    # leading, queries, keys, head_dim, value_dim, shape of the mask or None
    ((), 4, 6, 5, 3, None),
    ((), 5, 5, 2, 7, (5, 5)),
    ((3,), 2, 7, 4, 6, None),
    ((3,), 4, 2, 6, 5, (4, 2)),
    ((2, 3), 5, 4, 7, 6, (2, 1, 1, 4)),
    ((2, 3), 6, 6, 4, 5, (6, 6)),
    ((4, 2), 3, 5, 6, 2, (4, 1, 3, 5)),
    ((2, 1, 3), 2, 3, 4, 5, None),
    ((1, 1), 1, 1, 3, 2, None),
    # lengths that are equal, or one, and wide heads
    ((), 4, 4, 3, 5, (4, 4)),
    ((3, 3), 4, 2, 5, 6, None),
    ((2,), 1, 4, 3, 5, None),
    ((2,), 1, 4, 3, 5, (1, 4)),
    ((2,), 4, 1, 3, 5, None),
    ((2,), 4, 3, 3, 5, None),
    ((2,), 4, 5, 3, 5, None),
    ((2,), 4, 4, 3, 5, None),
    ((2,), 3, 4, 80, 96, None),
    ((2,), *FAR_SCORES, 6, None),
    ((2,), *FAR_SCORES, 6, (3, 5)),
    ((4,), 3, 4, 2, 5, (4, 3, 4)),
    ((2, 2), 3, 4, 2, 5, (2, 3, 4)),
    ((2,), 3, 3, 2, 5, (3,)),
    ((2,), 3, 4, 2, 5, (3, 1)),
    ((2,), 1, 4, 3, 1, None),
    # the same shapes again, with another mask and without one
    ((2, 3), 6, 6, 4, 5, (6, 6)),
    ((2, 3), 6, 6, 4, 5, None),
    *(
        ((first, 2)[:leading], queries, keys, head_dim, value_dim, mask and (queries, keys))
        for first, queries, keys, head_dim, value_dim in (
            *((4, 4, 4, 4, 4), (1, 5, 3, 4, 2), (5, 2, 3, 1, 4), (2, 3, 5, 4, 1)),
            *((4, 4, 2, 2, 3), (5, 2, 5, 3, 2), (4, 3, 2, 4, 2), (3, 4, 2, 4, 3), (4, 3, 3, 2, 2)),
        )
        for leading in (1, 2)
        for mask in (False, True)
    ),
)
"""The last are equal, one, or equal in pairs, each with and without a mask."""


def _dot_product(module: types.ModuleType) -> float:
    import numpy as np

    random, worst = _random(31), 0.0
    from tests.graded import other_formulas as formulas

    for leading, queries, keys, head_dim, value_dim, shape in INPUTS:
        q, k, v = (
            random.normal(0, 1.5, (*leading, *size)).astype(np.float32)
            for size in ((queries, head_dim), (keys, head_dim), (keys, value_dim))
        )
        if (queries, keys, head_dim) == FAR_SCORES:
            q[..., 1:], q[..., 0] = 0.0, [2.0, -2.0, 2.0]
            k[..., 0] = [60.0, 58.5, 56.0, 51.0, 57.0]
        mask = None
        if shape:
            mask = np.where(random.random(shape) < 0.5, -np.inf, 0).astype(np.float32)
            mask[..., 0] = 0
            if len(shape) == 1:
                mask[-1] = -np.inf
        if mask is not None and (queries, keys, head_dim) == FAR_SCORES:
            q[..., 0], k[..., 0], mask[..., 0] = 2.0, [30, -40, -41, -42, -300], -np.inf
            v[..., 0, :], v[..., 4, :], mask[..., 1] = 1e10, 1e30, 0
        given = [_tensor(one) for one in (q, k, v, mask) if one is not None]
        answer = _call(module.scaled_dot_product_attention, *given)
        if mask is not None:  # by its place, and by its name
            more = {"mask": given.pop()}
            answer = _call(module.scaled_dot_product_attention, *given, **more)
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise Wrong("no pair is returned")
        exact = [a.astype(np.float64) for a in (q, k, v)]
        want = formulas.attend(
            exact[0], exact[1], exact[2], None if mask is None else mask.astype(np.float64)
        )
        for name, have, right in zip(("the output", "the weights"), answer, want, strict=True):
            what = f"{name} for {q.shape}, {k.shape}, {v.shape}, mask {shape}"
            worst = max(worst, _off(_read(have, what), right, what))
    return worst


# ---- step 04 -------------------------------------------------------------------------------

TEXTS = (
    ([[5, 6, 7, 9], [8, 9, 9, 9], [9, 9, 0, 12], [1, 9, 2, 9]], 9),
    ([[3, 4, 5], [0, 9, 60000]], 50256),
    ([[7, 7], [7, 1]], 7),
    ([[2]], 2),
    ([[0, 3, 0, 0, 1]], 0),
    ([[1, 7, 3], [2, 3, 4], [7, 7, 1]], 7),
    ([[1, 2, 7], [7, 3, 4], [1, 7, 1]], 7),
    ([[5, -100, 3, 8], [-100, 3, 4, 5]], -100),
    ([[4464, 70000, 3], [1, 2, 3]], 70000),
    ([[1, 2, 3, 4, 7, 7], *([[7, 1, 2, 3, 4, 5]] * 5)], 7),
)


def _masks(module: types.ModuleType) -> float:
    import numpy as np
    from max.dtype import DType

    from tests.graded import other_formulas as formulas

    for ids, pad in TEXTS:
        for integer in (np.int64, np.int32):
            tokens = _tensor(np.array(ids, dtype=integer))
            padding = _call(module.padding_mask, tokens, pad)
            may = formulas.visible(ids, pad)
            batch, seq = len(ids), len(ids[0])
            _behaves(_read(padding, "the padding mask"), (batch, 1, 1, seq), may)
            causal = np.triu(np.full((seq, seq), -np.inf, np.float32), 1)
            combined = _call(module.combine_masks, _tensor(causal), padding)
            past = may & (causal == 0)
            _behaves(_read(combined, "the combined mask"), (batch, 1, seq, seq), past)
            ours = np.where(np.array(ids) == pad, -3e38, 0)[:, None, None].astype(np.float32)
            combined = _call(module.combine_masks, _tensor(causal), _tensor(ours))
            _behaves(_read(combined, "the combination"), (batch, 1, seq, seq), past)
        wide, narrow = (np.where(one, -np.inf, 0.0) for one in (np.array(ids) == pad, causal < 0))
        given = _tensor(narrow), _tensor(wide[:, None, None])
        combined = _call(module.combine_masks, *given)
        if combined.dtype != DType.float64:
            raise Wrong("the combination of float64 masks is none")
        if not np.array_equal(
            combined.to_numpy() < -300, np.broadcast_to(~past[:, None], past[:, None].shape)
        ):
            raise Wrong("the combination of float64 masks hides other places")
        lowest = np.where(np.array(ids) == pad, np.finfo(np.float64).min, 0.0)[:, None, None]
        combined = _call(module.combine_masks, _tensor(narrow), _tensor(lowest))
        _behaves(combined.to_numpy(), (batch, 1, seq, seq), past)
    some = [[1, 2], [2, 2]]
    double = _call(module.padding_mask, _tensor(np.array(some)), 2, dtype=DType.float64)
    if double.dtype != DType.float64:
        raise Wrong("the dtype is not the one asked for")
    _behaves(double.to_numpy(), (2, 1, 1, 2), formulas.visible(some, 2))
    return 0.0


def _behaves(mask: Any, shape: tuple[int, ...], may: Any) -> None:
    """The mask has this shape, shows with 0, hides from any score, and leaves no NaN."""
    import numpy as np

    if mask.shape != shape:
        raise Wrong(f"a mask has shape {mask.shape}, not {shape}")
    wide = np.broadcast_to(mask, (shape[0], 1, may.shape[1], may.shape[2]))[:, 0]
    if not np.array_equal(wide[may], np.zeros(int(may.sum()))):
        raise Wrong("what is visible is not 0")
    random = _random(41)
    for _ in range(20):
        scores = random.uniform(-100, 100, wide.shape).astype(np.float32)
        with np.errstate(all="ignore"):
            masked = scores + wide
            shares = np.exp(masked - masked.max(-1, keepdims=True))
            shares /= shares.sum(-1, keepdims=True)
        if not np.isfinite(shares).all():
            raise Wrong("the softmax is NaN somewhere")
        some = may.any(-1, keepdims=True)
        if (shares * (~may & some)).max() > 1e-6:
            raise Wrong("what is hidden gets weight")


# ---- step 06 -------------------------------------------------------------------------------

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
    ((2,), 3, 96, (2,), 10000.0),
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
)
LONGEST, FAR, FARTHEST = 64, 1500, 4100


def _rope(module: types.ModuleType) -> float:
    import numpy as np

    from tests.graded import other_formulas as formulas

    random, worst = _random(61), 0.0
    for leading, seq, d_k, before, theta in ROTATIONS:
        x = random.normal(0, 1, (*leading, seq, d_k)).astype(np.float32)
        longest = FAR if d_k == 8 else FARTHEST if (d_k, theta) == (4, 10000.0) else LONGEST
        places = random.integers(0, longest, (*before, seq))
        places[..., -1] = longest - 1
        layer = _call_make(module.RotaryEmbedding, d_k, longest, theta)
        _call_make(module.RotaryEmbedding, d_k, longest, theta + 1)  # it changes nothing
        if list(layer.parameters):
            raise Wrong("the rotation has parameters")
        _call(layer, _tensor(x), _tensor(places))
        have = _read(_call(layer, _tensor(x), _tensor(places.astype(np.int32))), "a rotation")
        again = _read(_call(layer, _tensor(x), _tensor(places)), "a rotation")
        worst = max(worst, _off(again, have, "a second call"))
        wide = np.broadcast_to(places, x.shape[:-1]).reshape(-1, seq)
        flat = x.astype(np.float64).reshape(-1, seq, d_k)
        want = np.stack(
            [formulas.rotated(one, row, theta) for one, row in zip(flat, wide, strict=True)]
        ).reshape(x.shape)
        worst = max(worst, _off(have, want, f"a rotation of {x.shape} at {places.shape}"))
    worst = max(worst, *(_one_rope_layer(module, random, *sizes) for sizes in LAYERS))
    return max(worst, _far_below(module))


def _far_below(module: types.ModuleType) -> float:
    """One head at position 0. The score of a token is its second feature, one of them far below."""
    import numpy as np

    from tests.graded import other_formulas as formulas

    width = 4
    weights = {name: np.eye(width, dtype=np.float32) for name in "qkvo"}
    weights["q"], weights["k"] = (np.zeros((width, width), np.float32) for _ in range(2))
    weights["q"][0, 0], weights["k"][0, 1] = 2.0, 1.0  # the root of the width
    x = np.array([[1, -85, 0, 1], [1, -86, 0, 2], [1, -84, 0, 3], [1, -300, 1e30, 4]], np.float32)
    layer = _call_make(module.MultiHeadSelfAttentionRoPE, width, 1, LONGEST, 50.0)
    places = np.zeros(4, np.int64)
    given = [_tensor(array) for array in (*weights.values(), x, places)]
    have = _read(_call(layer, *given), "scores far below")
    exact = {name: array.astype(np.float64) for name, array in weights.items()}
    want = formulas.rope_layer(exact, x.astype(np.float64), places, 1, 50.0)
    seen = [0, 2, 3]  # of the second feature the value is the key
    return _off(have[..., seen], want[..., seen], "scores far below")


def _one_rope_layer(
    module: types.ModuleType,
    random: Any,
    n_head: int,
    d_k: int,
    leading: tuple[int, ...],
    seq: int,
    before: tuple[int, ...],
    theta: float,
) -> float:
    import numpy as np

    from tests.graded import other_formulas as formulas

    width, worst = n_head * d_k, 0.0
    weights: Mapping[str, Any] = {
        name: random.normal(0, 1.5 / width**0.5, (width, width)).astype(np.float32)
        for name in "qkvo"
    }
    longest = max(LONGEST, seq)
    layer = _call_make(module.MultiHeadSelfAttentionRoPE, width, n_head, longest, theta)
    if list(layer.parameters):
        raise Wrong("the layer has parameters")
    for kind in (np.int64, np.int64, np.int32):
        weights = {name: array[::-1].copy() for name, array in weights.items()}
        x = random.normal(0, 1, (*leading, seq, width)).astype(np.float32)
        places = random.integers(0, LONGEST, (*before, seq), kind)
        given = [_tensor(array) for array in (*weights.values(), x, places)]
        what = f"the output for {x.shape} at {places.shape}"
        have = _read(_call(layer, *given), what)
        exact = {name: array.astype(np.float64) for name, array in weights.items()}
        want = formulas.rope_layer(exact, x.astype(np.float64), places, n_head, theta)
        worst = max(worst, _off(have, want, what))
    return worst


def _call_make(cls: Any, *args: Any, **more: Any) -> Any:
    """An object of ``cls``, which is a Module."""
    from max.experimental import functional as F
    from max.experimental.nn import Module

    with F.lazy():
        made = cls(*args, **more)
    if not isinstance(made, Module):
        raise Wrong(f"{cls.__name__} is no Module")
    return made


# ---- step 08 -------------------------------------------------------------------------------

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
)


def _norm(module: types.ModuleType) -> float:
    import numpy as np

    from tests.graded import other_formulas as formulas

    random, worst = _random(81), 0.0
    for shape, eps, scale, shift in NORMS:
        x = random.normal(shift, scale, shape).astype(np.float32)
        x[:1] = np.float32(0.75) if len(shape) > 1 else x[:1]
        if shape[-1] == 768:
            x[..., 5] = 1000.0
        more = {} if eps is None else {"eps": eps}
        usual = 1e-5 if eps is None else eps
        layer = _call_make(module.LayerNorm, shape[-1], **more)
        _call_make(module.LayerNorm, shape[-1], eps=usual + 1)  # it changes nothing
        ones, zeros = np.ones(shape[-1]), np.zeros(shape[-1])
        have = _read(_call(layer, _tensor(x)), "a fresh layer's output")
        want = formulas.normalized(x.astype(np.float64), ones, zeros, usual)
        worst = max(worst, _off(have, want, f"a fresh layer's output for {shape}"))
        given = _affine(random, shape[-1])
        layer.load_state_dict({name: array.copy() for name, array in given.items()})
        have = _read(_call(layer, _tensor(x)), "the output")
        want = _formula(x.astype(np.float64), given, usual)
        worst = max(worst, _off(have, want, f"the output for {shape}, eps {eps}"))
        for call in (3, 4):
            y = random.normal(shift, scale, shape).astype(np.float32)
            have = _read(_call(layer, _tensor(y)), "the output")
            want = _formula(y.astype(np.float64), given, usual)
            worst = max(worst, _off(have, want, f"the output of call {call} for {shape}"))
    shapes = ((2, 3, 5), (1, 4, 6), (3, 3, 3), (4, 1, 2), (2, 5), (3, 1), (2, 2, 4), (5, 4, 5))
    return max(worst, *(_residual(module, random, shape) for shape in shapes))


def _affine(random: Any, dim: int) -> dict[str, Any]:
    import numpy as np

    return {
        "weight": random.normal(1, 0.6, dim).astype(np.float32),
        "bias": random.normal(0, 0.6, dim).astype(np.float32),
    }


def _formula(x: Any, given: Mapping[str, Any], eps: float) -> Any:
    import numpy as np

    from tests.graded import other_formulas as formulas

    weight, bias = (given[name].astype(np.float64) for name in ("weight", "bias"))
    return formulas.normalized(x, weight, bias, eps)


def _residual(module: types.ModuleType, random: Any, shape: tuple[int, ...]) -> float:
    """With functions of ours in the places of the two layers, which the file cannot know."""
    import numpy as np

    x = random.normal(0, 1.5, shape).astype(np.float32)

    def norm(t: Any) -> Any:
        return t * 0.5 - 0.25

    out = _call(module.residual, _tensor(x), norm, lambda t: t * t + 1.0)
    again = _call(module.residual, _tensor(x), norm, lambda t: t * 3.0)
    exact = x.astype(np.float64)
    want = exact + (exact * 0.5 - 0.25) ** 2 + 1.0
    other = exact + (exact * 0.5 - 0.25) * 3.0
    worst = _off(_read(again, "a second sum"), other, "a second sum")
    return max(worst, _off(_read(out, "the residual sum"), want, "the residual sum"))


TRIALS: dict[str, Callable[[types.ModuleType], float]] = {
    "s03": _dot_product,
    "s04": _masks,
    "s06": _rope,
    "s08": _norm,
}


if __name__ == "__main__":
    direct.TRIALS.update(TRIALS)
    direct.main()
