"""What the NumPy engine promises beyond numbers: memory, odd shapes, half precision, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grader.frameworks.max import engine

pytestmark = pytest.mark.usefixtures("numpy_engine", "nothing_is_compiled")
Array = npt.NDArray[Any]


@pytest.fixture
def functions() -> Any:
    from max.experimental import functional

    return functional


def tensor(array: Array) -> Any:
    from max.experimental.tensor import Tensor

    return Tensor.from_dlpack(array)


def count(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(
    "compute",
    [
        lambda functions, x: functions.broadcast_to(x, [3, 4]),
        lambda functions, x: x.transpose(0, 1),
        lambda functions, x: x[:, :],
        lambda functions, x: x[0:2],
        lambda functions, x: functions.concat([x], axis=0),
        lambda functions, x: functions.split(x, [1, 2], axis=0)[1],
        lambda functions, x: functions.tile(x, [1, 1]),
        lambda functions, x: x.permute([1, 0]),
        lambda functions, x: x + 0,
    ],
)
def test_a_result_keeps_its_numbers_when_the_argument_changes(functions: Any, compute: Any) -> None:
    array = count(3, 4)
    x = tensor(array)
    result = compute(functions, x)
    before = result.to_numpy().copy()
    array[:] = -1
    np.testing.assert_array_equal(result.to_numpy(), before)


def test_writing_into_a_slice_changes_only_that_slice(functions: Any) -> None:
    x, y = tensor(count(3, 4)), tensor(count(3, 4))
    total = x + y
    x[1:2, 1:3] = tensor(np.full((1, 2), 100, np.float32))
    expected = count(3, 4)
    expected[1, 1:3] = 100
    np.testing.assert_array_equal(x.to_numpy(), expected)
    np.testing.assert_array_equal(total.to_numpy(), 2 * count(3, 4))
    functions.buffer_store_slice(
        y, tensor(np.zeros((3, 1), np.float32)), [slice(None), slice(3, 4)]
    )
    np.testing.assert_array_equal(y.to_numpy()[:, 3], 0)


def test_tensors_without_axes_and_without_elements(functions: Any) -> None:
    x = tensor(count(3, 4))
    one = x[1, 2]
    assert one.to_numpy().shape == ()
    assert (one > 5).to_numpy().dtype == np.bool_
    assert bool(one > 5)
    assert not bool(~(one > 5))
    assert functions.where(one > 5, one, one * 2).item() == 6
    empty = x[:0]
    assert (empty + empty).to_numpy().shape == (0, 4)
    assert (empty @ x.transpose(0, 1)).to_numpy().shape == (0, 3)
    np.testing.assert_array_equal(functions.concat([empty, x], axis=0).to_numpy(), count(3, 4))
    np.testing.assert_array_equal(functions.sum(empty, axis=0).to_numpy(), np.zeros((1, 4)))
    assert functions.softmax(empty).to_numpy().shape == (0, 4)
    inner = x[:, :0]
    np.testing.assert_array_equal((inner @ inner.transpose(0, 1)).to_numpy(), np.zeros((3, 3)))


def test_gelu_of_a_tensor_without_axes(functions: Any) -> None:
    half = functions.gelu(tensor(np.array(0.5, np.float32)), approximate="tanh")
    assert half.to_numpy() == pytest.approx(0.345714, rel=1e-5)


def test_bool_tensors(functions: Any) -> None:
    x = tensor(count(2, 3))
    low, even = x < 3, (x % 2).cast(bool_type())
    np.testing.assert_array_equal((low & ~even).to_numpy(), [[True, False, True], [False] * 3])
    np.testing.assert_array_equal(functions.max(low, axis=1).to_numpy(), [[True], [False]])
    np.testing.assert_array_equal(functions.concat([low, even], axis=0).to_numpy().shape, (4, 3))
    np.testing.assert_array_equal(functions.transpose(low, 0, 1).to_numpy(), (count(2, 3) < 3).T)


def bool_type() -> Any:
    from max.dtype import DType

    return DType.bool


@pytest.mark.parametrize(("name", "digits"), [("bfloat16", 8), ("float16", 11)])
def test_half_precision_rounds_once_per_operation(functions: Any, name: str, digits: int) -> None:
    from max.dtype import DType

    half = getattr(DType, name)
    rng = np.random.default_rng(5)
    x, y = (rng.standard_normal((4, 6)).astype(np.float32) for _ in range(2))
    a, b = tensor(x).cast(half), tensor(y).cast(half)
    assert (a + b).dtype == half
    rounded = [t.cast(DType.float32).to_numpy() for t in (a, b)]
    for exact, narrow in zip((x, y), rounded, strict=True):
        np.testing.assert_allclose(narrow, exact, 2.0**-digits)
    product = (a @ b.transpose(0, 1)).cast(DType.float32).to_numpy()
    exact = rounded[0].astype(np.float64) @ rounded[1].T
    np.testing.assert_allclose(product, exact, 2.0**-digits, 1e-6)
    weights = functions.softmax(a).cast(DType.float32).to_numpy()
    np.testing.assert_allclose(weights.sum(-1), 1, 2.0 ** -(digits - 2))


def test_bfloat16_rounds_to_even_and_keeps_infinities() -> None:
    from max.dtype import DType

    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, np.inf, -np.inf, np.nan, 3.4e38], np.float32)
    ours = tensor(x).cast(DType.bfloat16).cast(DType.float32).to_numpy()
    np.testing.assert_array_equal(
        ours, np.array([1, 1 + 2**-6, np.inf, -np.inf, np.nan, np.inf], np.float32)
    )


def test_masked_scatter_uses_as_many_updates_as_it_finds_places(functions: Any) -> None:
    x = count(3, 4)
    updates = -np.arange(1, 13, dtype=np.float32)
    ours = functions.masked_scatter(tensor(x), tensor(x) > 6, tensor(updates), out_dim="places")
    expected = x.copy()
    expected[x > 6] = updates[:5]
    np.testing.assert_array_equal(ours.to_numpy(), expected)


def test_random_numbers_have_the_asked_distribution_and_change(functions: Any) -> None:
    normal = functions.gaussian([200, 200], mean=3.0, std=2.0).to_numpy()
    assert normal.dtype == np.float32
    np.testing.assert_allclose([normal.mean(), normal.std()], [3, 2], 0.05)
    uniform = functions.uniform([200, 200], range=(-1.0, 3.0)).to_numpy()
    assert uniform.min() >= -1
    assert uniform.max() < 3
    np.testing.assert_allclose([uniform.mean(), uniform.std()], [1, 4 / 12**0.5], 0.05)
    assert not np.array_equal(functions.uniform([8]).to_numpy(), functions.uniform([8]).to_numpy())


def test_an_index_out_of_range_is_an_error_that_says_so(functions: Any) -> None:
    table, wrong = tensor(count(3, 4)), tensor(np.array([0, 3]))
    with pytest.raises(Exception, match="index 3 is out of range for an axis of size 3"):
        functions.gather(table, wrong, axis=0).to_numpy()


@pytest.mark.parametrize("axis", [2, -3])
@pytest.mark.parametrize("name", ["softmax", "logsoftmax"])
def test_a_softmax_along_no_axis_is_an_error_that_says_so(
    functions: Any, name: str, axis: int
) -> None:
    with pytest.raises(Exception, match=rf"Axis must be in range \[-2, 2\), got {axis}"):
        getattr(functions, name)(tensor(count(3, 4)), axis=axis).to_numpy()


def test_a_range_that_does_not_come_out_even_is_maxs_error(functions: Any) -> None:
    from max.driver import CPU
    from max.dtype import DType

    with pytest.raises(Exception, match="not evenly divisible"):
        functions.range(0, 1, 0.3, dtype=DType.float32, device=CPU()).to_numpy()


def test_a_deep_model_is_one_graph(functions: Any) -> None:
    x = tensor(count(2, 2))
    with functions.lazy():
        y = x
        for _ in range(1100):
            y = y + 1
    np.testing.assert_array_equal(y.to_numpy(), count(2, 2) + 1100)


def test_without_a_handler_max_is_asked_and_says_what_it_lacks(functions: Any) -> None:
    image, window = tensor(count(1, 4, 4, 2)), tensor(count(2, 2, 2, 3))
    with pytest.raises(Exception, match="conv_cpu_0_float32 has not been compiled"):
        functions.conv2d(image, window).to_numpy()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="numpy"):
        engine.install("torch")
