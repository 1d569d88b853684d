"""A staged graph that NumPy runs again and again, against the same functions run by the engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.frameworks.max import engine

os.environ.update(engine.environment())
engine.install("numpy")

from max.driver import CPU  # noqa: E402
from max.dtype import DType  # noqa: E402
from max.experimental import compilation  # noqa: E402
from max.experimental import functional as F  # noqa: E402
from max.experimental.tensor import Tensor  # noqa: E402
from max.graph import Dim, TensorType  # noqa: E402

from grader.frameworks.max.engine.operation import Unsupported  # noqa: E402
from grader.frameworks.max.engine.replay import Replay  # noqa: E402

RNG = np.random.default_rng(5)
SHAPE = ["rows", "columns"]


def replay(function: Callable[..., Any], *shapes: list[Any]) -> Replay:
    """``function`` of float32 tensors of these shapes, staged."""
    types = [TensorType(DType.float32, shape, CPU()) for shape in shapes]
    return Replay(compilation.stage(function)(*types).graph, {})


def numbers(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def swapped(x: Tensor) -> Tensor:
    return F.softmax(x.transpose(0, 1) * 2.0 + 1.0)


def counted(x: Tensor) -> Tensor:
    columns = x.shape[1]
    places = F.range(0, columns, out_dim=columns, dtype=DType.int64, device=CPU())
    return x + F.cast(places, DType.float32)


def cut(x: Tensor) -> Tensor:
    return x[:, -1:] - x[1:, :1].mean(axis=0)


def spread(x: Tensor) -> Tensor:
    first = F.broadcast_to(x[:, :1], shape=x.shape)
    return F.concat([first, x], axis=-1)


def several(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    left, right = F.split(F.broadcast_to(x[:, :1], shape=[x.shape[0], 3]), [1, 2], axis=1)
    return x @ x.T, F.where(left > 0.0, left, -left), right


def seen_twice(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    doubled = x * 2.0
    return doubled.T, doubled + 1.0, F.softmax(doubled - 1.0)


def in_place(x: Tensor) -> tuple[Tensor, Tensor]:
    centred = x - x.mean(axis=-1)
    return (centred * centred + 1.0) / 3.0, F.gelu(centred, approximate="tanh") - centred


@pytest.mark.parametrize("function", [swapped, counted, cut, spread, several, seen_twice, in_place])
def test_one_graph_serves_every_length(function: Callable[..., Any]) -> None:
    run = replay(function, SHAPE)
    for rows, columns in ((3, 5), (2, 1), (7, 4), (3, 5)):
        x = numbers(rows, columns)
        expected = function(Tensor.from_dlpack(x.copy()))
        if isinstance(expected, Tensor):
            expected = (expected,)
        for found, right in zip(run(x), expected, strict=True):
            assert found.dtype == right.to_numpy().dtype
            np.testing.assert_allclose(found, right.to_numpy(), rtol=1e-6, atol=1e-6)


def test_lengths_are_added_up() -> None:
    def joined(old: Tensor, new: Tensor) -> Tensor:
        total = Dim(old.shape[0]) + new.shape[0]
        return F.concat([old, new], axis=0).reshape([total * 2])

    run = replay(joined, ["past", 2], ["seq", 2])
    for past, seq in ((0, 3), (4, 1)):
        old, new = numbers(past, 2), numbers(seq, 2)
        [found] = run(old, new)
        np.testing.assert_array_equal(found, np.concatenate([old, new]).ravel())


def test_inputs_are_not_written_to() -> None:
    x = numbers(3, 4)
    before = x.copy()
    run = replay(swapped, SHAPE)
    first = run(x)[0].copy()
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(run(x)[0], first)


@pytest.mark.parametrize("shapes", [((2, 3), (3, 3)), ((2, 4), (2, 4)), ((2,), (2, 3))])
def test_arrays_of_other_shapes_are_refused(shapes: tuple[tuple[int, ...], ...]) -> None:
    run = replay(lambda x, y: x + y, ["rows", 3], ["rows", 3])
    with pytest.raises(ValueError, match="shape"):
        run(*(numbers(*shape) for shape in shapes))


def test_a_constant_may_have_fewer_dimensions() -> None:
    row = Tensor.from_dlpack(numbers(4))
    run = replay(lambda x: (x + row) * row, [2, "rows", 4])
    for rows in (1, 3):
        x = numbers(2, rows, 4)
        [found] = run(x)
        np.testing.assert_array_equal(found, (x + row.to_numpy()) * row.to_numpy())


def test_what_is_not_computed_on_numpy_is_named() -> None:
    with pytest.raises(Unsupported, match="MaxPoolOp"):
        replay(lambda x: F.max_pool2d(x, kernel_size=(2, 2)), [1, "height", "width", 1])
