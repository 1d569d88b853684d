"""MAX's functions on the NumPy engine, in any shape, agree with formulas in float64.

What each does to special numbers is recorded: see ``test_recorded``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("numpy_engine", "nothing_is_compiled")
Array = npt.NDArray[Any]

# Relative to the largest number of the reference.
RELATIVE = {"float32": 2e-6, "float64": 1e-14}
FLOATS = st.sampled_from(["float32", "float64"])
NUMBERS = st.sampled_from(["float32", "float64", "int32", "int64"])
SHAPES = arrays.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)
SEEDS = st.integers(0, 2**32 - 1)

quick = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def functional() -> Any:
    from max.experimental import functional as F

    return F


def run(compute: Callable[..., Any], *inputs: Array) -> Array:
    from max.experimental.tensor import Tensor

    result: Array = compute(*(Tensor.from_dlpack(x.copy()) for x in inputs)).to_numpy()
    assert result.flags.c_contiguous
    return result


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    if dtype.startswith("int"):
        return rng.integers(-20, 20, shape).astype(dtype)
    return (3 * rng.standard_normal(shape)).astype(dtype)


def assert_close(ours: Array, reference: Array, dtype: str) -> None:
    assert ours.shape == reference.shape
    if dtype in RELATIVE:
        scale = float(np.max(np.abs(reference), initial=1.0))
        np.testing.assert_allclose(ours, reference, 0, 20 * RELATIVE[dtype] * scale)
    else:
        np.testing.assert_array_equal(ours, reference)


@quick
@given(
    arrays.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=4, max_side=4),
    NUMBERS,
    SEEDS,
)
def test_operators_broadcast(shapes: Any, dtype: str, seed: int) -> None:
    left, right = (numbers(shape, dtype, seed + i) for i, shape in enumerate(shapes.input_shapes))
    wide = (left.astype(np.float64), right.astype(np.float64))
    assert_close(run(lambda x, y: x + y, left, right), wide[0] + wide[1], dtype)
    assert_close(run(lambda x, y: x - y, left, right), wide[0] - wide[1], dtype)
    assert_close(run(lambda x, y: x * y, left, right), wide[0] * wide[1], dtype)
    np.testing.assert_array_equal(run(functional().greater, left, right), left > right)
    np.testing.assert_array_equal(run(functional().equal, left, right), left == right)


@quick
@given(SHAPES, NUMBERS, SEEDS, st.data())
def test_reductions(shape: tuple[int, ...], dtype: str, seed: int, data: Any) -> None:
    x = numbers(shape, dtype, seed)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    wide = x.astype(np.float64)
    functions = functional()
    for name, reference in (
        ("sum", wide.sum(axis, keepdims=True)),
        ("max", wide.max(axis, keepdims=True)),
        ("min", wide.min(axis, keepdims=True)),
        ("cumsum", wide.cumsum(axis)),
    ):
        assert_close(
            run(lambda t, f=name: getattr(functions, f)(t, axis=axis), x), reference, dtype
        )
    if shape[axis] > 1:  # MAX refuses an argmax over one element, when the graph is lowered.
        best = run(lambda t: functions.argmax(t, axis=axis), x)
        assert best.dtype == np.int64
        np.testing.assert_array_equal(best, x.argmax(axis, keepdims=True))
    if dtype in RELATIVE:
        mean = run(lambda t: functions.mean(t, axis=axis), x)
        assert_close(mean, wide.mean(axis, keepdims=True), dtype)
        shares = np.exp(wide - wide.max(axis, keepdims=True))
        shares /= shares.sum(axis, keepdims=True)
        assert_close(run(lambda t: functions.softmax(t, axis=axis), x), shares, dtype)


@quick
@given(
    arrays.mutually_broadcastable_shapes(signature="(n,k),(k,m)->(n,m)", max_dims=2, max_side=4),
    NUMBERS,
    SEEDS,
)
def test_matmul_of_every_rank(shapes: Any, dtype: str, seed: int) -> None:
    left, right = (numbers(shape, dtype, seed + i) for i, shape in enumerate(shapes.input_shapes))
    reference = np.einsum("...nk,...km->...nm", left.astype(np.float64), right.astype(np.float64))
    assert_close(run(lambda x, y: x @ y, left, right), reference, dtype)


@quick
@given(SHAPES, SEEDS, st.data())
def test_slices(shape: tuple[int, ...], seed: int, data: Any) -> None:
    x = numbers(shape, "float32", seed)
    index: list[int | slice] = []
    for size in shape:
        start = data.draw(st.none() | st.integers(-size, size - 1))
        stop = data.draw(st.none() | st.integers(-size, size))
        step = data.draw(st.none() | st.integers(1, 3))
        whole = slice(start, stop, step)
        index.append(data.draw(st.sampled_from([whole, data.draw(st.integers(-size, size - 1))])))
    expected = x[tuple(index)]
    # MAX refuses a slice that ends before it starts, when the graph is built.
    kept = zip(index, shape, strict=True)
    assume(all(isinstance(i, int) or len(range(*i.indices(size))) for i, size in kept))
    np.testing.assert_array_equal(run(lambda t: t[tuple(index)], x), expected)


@quick
@given(SHAPES, st.sampled_from(["float32", "int64", "bool"]), SEEDS, st.data())
def test_what_only_moves(shape: tuple[int, ...], dtype: str, seed: int, data: Any) -> None:
    x = numbers(shape, "int64", seed).astype(dtype)
    axis = data.draw(st.integers(0, len(shape) - 1))
    order = data.draw(st.permutations(range(len(shape))))
    functions = functional()
    np.testing.assert_array_equal(run(lambda t: t.permute(list(order)), x), x.transpose(order))
    joined = run(lambda t: functions.concat([t, t], axis=axis), x)
    np.testing.assert_array_equal(joined, np.concatenate([x, x], axis))
    np.testing.assert_array_equal(run(lambda t: functions.stack([t, t]), x), np.stack([x, x]))
    cut = data.draw(st.integers(0, shape[axis]))
    first = run(lambda t: functions.split(t, [cut, shape[axis] - cut], axis=axis)[0], x)
    np.testing.assert_array_equal(first, np.take(x, range(cut), axis))
    wide = run(lambda t: functions.broadcast_to(t, [3, *shape]), x)
    np.testing.assert_array_equal(wide, np.stack([x] * 3))
    counts = [data.draw(st.integers(1, 2)) for _ in shape]
    np.testing.assert_array_equal(run(lambda t: functions.tile(t, counts), x), np.tile(x, counts))
    flat = run(lambda t: t.reshape([-1]), x)
    np.testing.assert_array_equal(flat, x.ravel())


@quick
@given(SHAPES, NUMBERS, SEEDS, st.data())
def test_gather_and_scatter(shape: tuple[int, ...], dtype: str, seed: int, data: Any) -> None:
    x = numbers(shape, dtype, seed)
    axis = data.draw(st.integers(0, len(shape) - 1))
    positions = st.integers(-shape[axis], shape[axis] - 1)
    chosen = data.draw(arrays.arrays(np.int64, st.integers(1, 3), elements=positions))
    taken = run(lambda t, i: functional().gather(t, i, axis=axis), x, chosen)
    np.testing.assert_array_equal(taken, np.stack([np.take(x, int(i), axis) for i in chosen], axis))

    drawn = data.draw(st.lists(st.integers(0, shape[0] - 1), min_size=1, max_size=3))
    rows = np.array(drawn)[:, None]
    updates = numbers((len(rows), *shape[1:]), dtype, seed + 1)
    expected = x.astype(np.float64)
    for row, update in zip(rows[:, 0], updates, strict=True):
        expected[row] += update
    added = run(lambda t, u, i: functional().scatter_nd_add(t, u, i), x, updates, rows)
    assert_close(added, expected, dtype)
